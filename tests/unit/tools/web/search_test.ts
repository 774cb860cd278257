import { assert, assertEquals } from "@std/assert";
import type { Tool } from "../../../../src/core/tool.ts";
import type { WebAnswer, WebRequest, WebSettings } from "../../../../src/core/network.ts";
import searchGithub from "../../../../src/tools/web/search_github.ts";
import searchStackoverflow from "../../../../src/tools/web/search_stackoverflow.ts";
import webSearch from "../../../../src/tools/web/web_search.ts";
import { failure } from "../_failure.ts";
import { call, createMemory, DEFAULT_WEB } from "../_memory_context.ts";

/** What was asked, and what came of it. */
async function asked(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  answer: unknown,
  web: Partial<WebSettings> = {},
  status = 200,
) {
  const requests: WebRequest[] = [];
  const memory = createMemory({
    web,
    fetch(request): Promise<WebAnswer> {
      requests.push(request);
      return Promise.resolve({
        status,
        url: request.url,
        redirects: [],
        headers: {},
        body: new TextEncoder().encode(
          typeof answer === "string" ? answer : JSON.stringify(answer),
        ),
        truncated: false,
        fromCache: false,
      });
    },
  });
  const output = await call(tool, args, memory) as Record<string, unknown>;
  const [request] = requests;
  assert(request !== undefined);
  return { request, output };
}

const provider = (name: "searxng" | "brave" | "tavily" | "kagi", url: string | null = null) => ({
  search: { provider: name, url, key: null },
});

Deno.test("web_search asks each provider in its own words", async () => {
  const args = { query: "a & b", num_results: 2, time_range: "week" };
  const searxng = await asked(
    webSearch,
    args,
    {
      results: [1, 2, 3].map((n) => ({
        title: `t${n}`,
        url: `u${n}`,
        content: "c",
        publishedDate: "d",
      })),
    },
    provider("searxng", "http://s.example/base/"),
  );
  assertEquals(
    searxng.request.url,
    "http://s.example/base/search?q=a+%26+b&format=json&time_range=week",
  );
  assertEquals([searxng.request.key?.optional, searxng.request.provider], [true, true]);
  assertEquals(searxng.output, {
    results: [1, 2].map((n) => ({ title: `t${n}`, url: `u${n}`, snippet: "c", published: "d" })),
    provider: "searxng",
    untrusted: true,
  });
  const brave = await asked(
    webSearch,
    args,
    {
      web: {
        results: [{ title: "<b>t</b>", url: "u", description: "x &amp; <strong>y</strong>" }],
      },
    },
    provider("brave"),
  );
  assertEquals(
    brave.request.url,
    "https://api.search.brave.com/res/v1/web/search?q=a+%26+b&count=2&freshness=pw",
  );
  assertEquals([brave.request.key?.name, brave.request.key?.optional], [
    "x-subscription-token",
    false,
  ]);
  assertEquals(brave.output.results, [{ title: "t", url: "u", snippet: "x & y" }]);
  const tavily = await asked(webSearch, args, { results: [] }, provider("tavily"));
  assertEquals([tavily.request.url, tavily.request.method], [
    "https://api.tavily.com/search",
    "POST",
  ]);
  assertEquals(JSON.parse(new TextDecoder().decode(tavily.request.body)), {
    query: "a & b",
    max_results: 2,
    time_range: "week",
  });
  const kagi = await asked(webSearch, { query: "a", num_results: 2 }, {
    data: [{ t: 0, title: "t", url: "u", snippet: "s" }, { t: 1, list: ["related"] }],
  }, provider("kagi"));
  assertEquals(kagi.request.url, "https://kagi.com/api/v1/search?q=a&limit=2");
  assertEquals(kagi.output.results, [{ title: "t", url: "u", snippet: "s" }]);
  assertEquals(
    (await failure(() => asked(webSearch, args, {}, provider("kagi")))).code,
    "INVALID_ARGUMENTS",
  );
});

Deno.test("web_search without a provider says what names one", async () => {
  for (const web of [undefined, DEFAULT_WEB]) {
    const scope = { cwd: ".", ...(web === undefined ? {} : { web }) };
    const error = await failure(async () =>
      await webSearch.capabilities({ query: "a", num_results: 1 }, scope)
    );
    assertEquals(error.code, "PROVIDER_NOT_CONFIGURED");
  }
});

Deno.test("connections are those of the provider, and known as such where the policy names it", async () => {
  const input = { query: "a", kind: "code", num_results: 1, tags: [] } as const;
  const public_ = { kind: "net.connect", host: "api.github.com", port: 443, method: "GET" };
  assertEquals(await searchGithub.capabilities(input, { cwd: "." }), [public_] as never);
  const own = { ...DEFAULT_WEB, github: { url: "http://git.example:8080/api/v3", key: null } };
  assertEquals(await searchGithub.capabilities(input, { cwd: ".", web: own }), [
    { kind: "net.connect", host: "git.example", port: 8080, method: "GET", provider: true },
  ]);
  assertEquals(await searchStackoverflow.capabilities(input, { cwd: "." }), [
    { ...public_, host: "api.stackexchange.com" },
  ] as never);
  const tavily = { ...DEFAULT_WEB, ...provider("tavily") };
  assertEquals(await webSearch.capabilities(input, { cwd: ".", web: tavily }), [
    { kind: "net.connect", host: "api.tavily.com", port: 443, method: "POST", provider: true },
  ]);
});

Deno.test("search_github reads repositories, code and issues", async () => {
  const repositories = await asked(searchGithub, { query: "x", language: "C++", num_results: 1 }, {
    total_count: 7,
    items: [
      {
        full_name: "a/b",
        html_url: "h",
        description: "d\n\ne",
        stargazers_count: 3,
        language: null,
        pushed_at: "2025-11-01T00:00:00Z",
      },
      { full_name: "c/d" },
    ],
  });
  assertEquals(
    repositories.request.url,
    "https://api.github.com/search/repositories?q=x+language%3A%22C%2B%2B%22&per_page=1",
  );
  assertEquals(repositories.request.key?.optional, true);
  assertEquals(repositories.output, {
    results: [
      {
        repository: "a/b",
        url: "h",
        description: "d e",
        stars: 3,
        updated: "2025-11-01T00:00:00Z",
      },
    ],
    total: 7,
    untrusted: true,
  });
  const code = await asked(searchGithub, { query: "x", kind: "code" }, {
    items: [{ repository: { full_name: "a/b" }, html_url: "h", path: "src/a.ts" }],
  });
  assertEquals(code.request.key?.optional, false);
  assertEquals(code.output.results, [{ repository: "a/b", url: "h", path: "src/a.ts" }]);
  const issues = await asked(searchGithub, { query: "x", kind: "issues" }, {
    items: [{ repository_url: "https://api.github.com/repos/a/b", html_url: "h", title: "t <i>" }],
  });
  assertEquals(issues.output.results, [{ repository: "a/b", url: "h", description: "t" }]);
});

Deno.test("search_stackoverflow names author and licence, and what is left", async () => {
  const { request, output } = await asked(
    searchStackoverflow,
    { query: "a", tags: ["b", "c"], num_results: 3 },
    {
      quota_remaining: 299,
      items: [{
        title: "It&#39;s",
        link: "l",
        owner: { display_name: "A &amp; B" },
        score: -1,
        answer_count: 2,
        accepted_answer_id: 5,
        tags: ["b"],
        body: "<p>One <code>two</code></p>\n<pre><code>three</code></pre>",
        content_license: "CC BY-SA 4.0",
      }],
    },
  );
  assertEquals(
    request.url,
    "https://api.stackexchange.com/2.3/search/advanced?q=a&site=stackoverflow&order=desc&sort=relevance&" +
      "filter=withbody&pagesize=3&tagged=b%3Bc",
  );
  assertEquals(request.key?.in, "query");
  assertEquals(output.quota_left, 299);
  assertEquals(output.results, [{
    title: "It's",
    url: "l",
    author: "A & B",
    score: -1,
    answers: 2,
    accepted: true,
    tags: ["b"],
    excerpt: "One two three",
    licence: "CC BY-SA 4.0",
  }]);
});

Deno.test("providers that answer otherwise than they should are told apart", async () => {
  const cases = [
    [401, "{}", "HTTP_ERROR"],
    [403, "{}", "HTTP_ERROR"],
    [429, "{}", "HTTP_ERROR"],
    [500, "oops", "HTTP_ERROR"],
    [302, "", "HTTP_ERROR"],
    [200, "<html>", "HTTP_ERROR"],
    [200, "[]", "HTTP_ERROR"],
    [200, "null", "HTTP_ERROR"],
    [200, "", "HTTP_ERROR"],
  ] as const;
  for (const [status, body, code] of cases) {
    for (const tool of [searchGithub, searchStackoverflow]) {
      const error = await failure(() => asked(tool, { query: "a" }, body, {}, status));
      assertEquals([error.code, error.details], [code, { status }]);
    }
  }
  // What is not there, or is something else, is passed over.
  const odd = {
    items: [null, 1, "x", {}, { title: 3, tags: "no", owner: null, score: "many" }],
    backoff: "no",
  };
  for (const tool of [searchGithub, searchStackoverflow]) {
    const { output } = await asked(tool, { query: "a" }, odd);
    assertEquals((output.results as unknown[]).length, 2);
  }
  const { output } = await asked(webSearch, { query: "a" }, { web: 1 }, provider("brave"));
  assertEquals(output.results, []);
});

Deno.test("web_search: no list of results is no empty list, and what leads nowhere is no result", async () => {
  for (const name of ["searxng", "tavily", "kagi"] as const) {
    const web = provider(name, "http://s.example");
    for (const answer of [{}, { error: "too often" }, { results: { a: 1 }, data: "x" }]) {
      const error = await failure(() => asked(webSearch, { query: "a" }, answer, web));
      assertEquals([error.code, error.message, error.details], [
        "HTTP_ERROR",
        "s.example: its answer has no list of results",
        { status: 200 },
      ]);
    }
    const odd = [{ title: "t", url: 5 }, {}, "x", { title: "t", url: "" }, {
      title: "t",
      url: "u",
    }];
    const { output } = await asked(webSearch, { query: "a" }, { results: odd, data: odd }, web);
    assertEquals(output.results, [{ title: "t", url: "u", snippet: "" }]);
    const none = await asked(webSearch, { query: "a" }, { results: [], data: [] }, web);
    assertEquals(none.output.results, []);
  }
});
