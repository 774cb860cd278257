/**
 * What `deno compile` appends to its base for Linux: where it begins, and the same with another policy and other
 * permissions in it. All of its form was seen in the output of Deno 2.7.11, the version that builds; a binary of any other
 * form is refused, never guessed at.
 */

/**
 * What the last 16 bytes of such a binary hold: two fixed words, then the size of what was appended
 * before them (`u32`, `u32`, `u64`, little endian).
 */
const FIRST_WORD = 0x501e;
const SECOND_WORD = 0x2a7;
const TRAILER_SIZE = 16;
/**
 * What was appended begins with 16 bytes that are the same each time, then stands between two of these words: the length
 * (`u64`) and the text of the metadata (JSON), 20 bytes of packages and remote modules, of which we have none, the length
 * and the text of the list of embedded files (JSON), the length of their contents, and these, one file after the other.
 */
const WORD = "d3n0l4nd";
const BEFORE_WORD = 16;
const NO_PACKAGES = 20;

/**
 * The base that `binary` was compiled from: all but what was appended and the trailer.
 * Throws Error where the trailer is not there or names a size that cannot be.
 */
export function cutDenort(binary: Uint8Array): Uint8Array {
  return binary.subarray(0, appendedAt(binary));
}

/** Where in `binary` the appended part begins. Throws Error as {@linkcode cutDenort}. */
export function appendedAt(binary: Uint8Array): number {
  if (binary.length < TRAILER_SIZE) {
    throw new Error(`no compiled binary: ${binary.length} bytes, shorter than its trailer`);
  }
  const end = binary.length - TRAILER_SIZE;
  const trailer = new DataView(binary.buffer, binary.byteOffset + end, TRAILER_SIZE);
  if (trailer.getUint32(0, true) !== FIRST_WORD || trailer.getUint32(4, true) !== SECOND_WORD) {
    throw new Error("no compiled binary of Linux: its last 16 bytes are not the trailer");
  }
  const appended = trailer.getBigUint64(8, true);
  if (appended === 0n || appended >= BigInt(end)) {
    throw new Error(`damaged binary: its trailer tells of ${appended} bytes before it, of ${end}`);
  }
  return end - Number(appended);
}

/** What the runtime lets a compiled binary do, as its metadata say it: null for nothing, no entries for anything. */
export type BakedPermissions = Readonly<Record<string, readonly string[] | null>>;

/** An embedded file as the list has it: its name, and where its contents stand among those of all. */
interface EmbeddedFile {
  readonly File: {
    readonly n: string;
    readonly o: readonly [offset: number, length: number];
    readonly [other: string]: unknown;
  };
}

/**
 * `binary` with `text` as the contents of the embedded file `name`, and with `permissions` in place of its own where they
 * name one. Throws Error where it is no compiled binary in the form that is known, or has no such file.
 */
export function rebaked(
  binary: Uint8Array,
  { name, text, permissions }: {
    readonly name: string;
    readonly text: string;
    readonly permissions: BakedPermissions;
  },
): readonly Uint8Array[] {
  const at = appendedAt(binary);
  const end = binary.length - TRAILER_SIZE;
  const appended = new Appended(binary.subarray(at, end));
  const before = appended.take(BEFORE_WORD);
  appended.skipWord();
  const metadata = JSON.parse(appended.takeText()) as { permissions: BakedPermissions };
  const packages = appended.take(NO_PACKAGES);
  if (packages.some((byte) => byte !== 0)) throw unknownForm("packages where none should be");
  const files = JSON.parse(appended.takeText()) as readonly EmbeddedFile[];
  const contents = appended.takeSized();
  appended.skipWord();
  if (appended.left > 0) throw unknownForm("more than its files");

  const replaced = files.find(({ File }) => File.n === name);
  if (replaced === undefined) throw unknownForm(`no file ${name}`);
  const [offset, length] = replaced.File.o;
  const bytes = new TextEncoder().encode(text);
  const moved = files.map((file): EmbeddedFile => {
    const [at, size] = file.File.o;
    if (file === replaced) return { File: { ...file.File, o: [at, bytes.length] } };
    if (at < offset + length) return file;
    return { File: { ...file.File, o: [at + bytes.length - length, size] } };
  });
  const parts = [
    before,
    word(),
    ...sized(json({
      ...metadata,
      permissions: { ...metadata.permissions, ...permissions },
    })),
    packages,
    ...sized(json(moved)),
    ...sized(contents.subarray(0, offset), bytes, contents.subarray(offset + length)),
    word(),
  ];
  const trailer = binary.slice(end);
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  new DataView(trailer.buffer).setBigUint64(8, BigInt(size), true);
  return [binary.subarray(0, at), ...parts, trailer];
}

/** What was appended, read from its beginning on. */
class Appended {
  #rest: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#rest = bytes;
  }

  get left(): number {
    return this.#rest.length;
  }

  take(length: number): Uint8Array {
    if (length > this.#rest.length) throw unknownForm("less than it tells of");
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  takeSized(): Uint8Array {
    const { buffer, byteOffset } = this.take(8);
    const length = new DataView(buffer, byteOffset).getBigUint64(0, true);
    return this.take(Number(length));
  }

  takeText(): string {
    return new TextDecoder("utf-8", { fatal: true }).decode(this.takeSized());
  }

  skipWord(): void {
    if (new TextDecoder().decode(this.take(WORD.length)) !== WORD) {
      throw unknownForm("another word");
    }
  }
}

function word(): Uint8Array {
  return new TextEncoder().encode(WORD);
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The pieces, with their length before them. */
function sized(...pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = new DataView(new ArrayBuffer(8));
  length.setBigUint64(0, BigInt(pieces.reduce((sum, piece) => sum + piece.length, 0)), true);
  return [new Uint8Array(length.buffer), ...pieces];
}

function unknownForm(what: string): Error {
  return new Error(`a compiled binary of a form that is not known: ${what}`);
}
