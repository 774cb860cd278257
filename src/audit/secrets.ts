/** Texts that look like well-known secrets, wherever they stand. */

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/**
 * Formats as their makers publish them. Each begins with something that few other texts have, so that one pass over
 * harmless text costs next to nothing. None of them can backtrack: no quantified part follows one it overlaps with.
 */
const FORMATS: readonly RegExp[] = [
  // PEM (RFC 7468): private keys of all kinds.
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  // Toolgate: tokens of a gate.
  /\btg_[A-Za-z0-9_-]{43}/g,
  // AWS access key ids (IAM user guide, unique identifiers).
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g,
  // GitHub (docs: about authentication, token formats).
  /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g,
  // GitLab personal, deploy, runner and CI tokens.
  /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt)-[A-Za-z0-9_-]{20,255}/g,
  // Anthropic, OpenAI and alike: sk-…
  /\bsk-[A-Za-z0-9_-]{20,255}/g,
  // Stripe.
  /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{10,255}\b/g,
  // Slack tokens and webhooks.
  /\bxox[abeprs]-[A-Za-z0-9-]{10,255}/g,
  /\bhooks\.slack\.com\/services\/[A-Za-z0-9/]{20,255}/g,
  // Google API keys and OAuth secrets.
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\bGOCSPX-[0-9A-Za-z_-]{20,100}/g,
  /\bya29\.[0-9A-Za-z_-]{20,2000}/g,
  // npm, PyPI, Docker Hub, Hugging Face, DigitalOcean, SendGrid, Twilio, Shopify, Databricks.
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bpypi-[A-Za-z0-9_-]{16,2000}/g,
  /\bdckr_pat_[A-Za-z0-9_-]{20,255}/g,
  /\bhf_[A-Za-z0-9]{30,255}\b/g,
  /\bdo[opr]_v1_[a-f0-9]{64}\b/g,
  /\bSG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,80}/g,
  /\bSK[a-f0-9]{32}\b/g,
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/g,
  /\bdapi[a-f0-9]{32}\b/g,
  // JSON Web Tokens (RFC 7519): a header that begins {" in base64url.
  /\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,2000}/g,
];

/** What follows these is secret whatever it looks like: RFC 6750, RFC 7617, RFC 3986 user information. */
const LED: readonly (readonly [RegExp, string])[] = [
  [
    /\b(authorization\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic|token)\s{1,3})?)[^\s"',;]{4,4000}/gi,
    `$1${REDACTED}`,
  ],
  [/\b(bearer\s{1,3})[A-Za-z0-9._~+/-]{16,4000}=*/gi, `$1${REDACTED}`],
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,200}(?=@)/gi, `$1${REDACTED}`],
];

/** Only texts with one of these are looked at closely. */
const HINT =
  /-----BEGIN|AKIA|ASIA|ABIA|ACCA|tg_|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|sk-|k_(?:live|test)_|xox[abeprs]-|hooks\.slack|AIza|GOCSPX|ya29\.|npm_|pypi-|dckr_pat_|hf_|_v1_|SG\.|SK[a-f0-9]|shp[acps]|dapi|eyJ|authorization|bearer|:\/\//i;

/** The text with every secret that is known by its looks taken out. */
export function withoutSecrets(text: string): string {
  if (!HINT.test(text)) return text;
  let clean = text;
  for (const format of FORMATS) clean = clean.replace(format, REDACTED);
  for (const [led, kept] of LED) clean = clean.replace(led, kept);
  return clean;
}
