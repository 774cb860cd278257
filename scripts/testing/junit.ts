/** Reads what is used here of the report that `deno test --junit-path` writes. */

/** How the tests of one file went. */
export interface FileOutcome {
  /** In the repository. */
  readonly path: string;
  readonly passed: boolean;
  /** Whether any of its tests has such a name as was asked for. */
  readonly ran: boolean;
  /** Of its tests, without what its module does when it is loaded. */
  readonly seconds: number;
}

const SUITE = /<testsuite name="([^"]*)"[^>]*\bfailures="(\d+)"[^>]*>/g;
/** A step's time is its test's, too: the report gives it the names of both. */
const CASE = /<testcase name="([^"]*)"[^>]*\btime="([\d.]+)"/g;
const STEP = " &gt; ";

/** One for each file that was loaded, in their order. */
export function outcomes(xml: string): readonly FileOutcome[] {
  const suites = [...xml.matchAll(SUITE)];
  return suites.map((suite, index) => {
    const [whole, name = "", failures] = suite;
    const body = xml.slice(suite.index + whole.length, suites[index + 1]?.index);
    const times = [...body.matchAll(CASE)].map(([, title = "", time]) =>
      title.includes(STEP) ? 0 : Number(time)
    );
    return {
      ran: times.length > 0,
      path: name.replace(/^\.\//, ""),
      passed: failures === "0",
      seconds: times.reduce((sum, time) => sum + time, 0),
    };
  });
}
