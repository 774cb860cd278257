import { assertEquals } from "@std/assert";
import { outcomes } from "../../../../scripts/testing/junit.ts";

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="13" failures="2" errors="0" time="0.409">
    <testsuite name="./tests/unit/bad_test.ts" tests="5" disabled="1" errors="0" failures="2">
        <testcase name="a &quot;b&quot;" classname="./tests/unit/bad_test.ts" time="0.250" line="1" col="6">
        </testcase>
        <testcase name="bad" classname="./tests/unit/bad_test.ts" time="1.500" line="2" col="6">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="ignored" classname="./tests/unit/bad_test.ts" line="3" col="11">
            <skipped/>
        </testcase>
        <testcase name="bad &gt; in" classname="./tests/unit/bad_test.ts" time="1.400" line="2" col="41">
            <failure message="no">no &lt;testsuite name="x" failures="0"&gt; here</failure>
        </testcase>
    </testsuite>
    <testsuite name="./tests/unit/good_test.ts" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="c" classname="./tests/unit/good_test.ts" time="0.125" line="29" col="8">
        </testcase>
    </testsuite>
    <testsuite name="./tests/unit/other_test.ts" tests="1" disabled="1" errors="0" failures="0">
        <testcase name="d" classname="./tests/unit/other_test.ts" line="29" col="8">
            <skipped/>
        </testcase>
    </testsuite>
</testsuites>
`;

Deno.test("of each file: whether it passed, and how long its tests took, their steps not twice", () => {
  assertEquals(outcomes(REPORT), [
    { path: "tests/unit/bad_test.ts", passed: false, ran: true, seconds: 1.75 },
    { path: "tests/unit/good_test.ts", passed: true, ran: true, seconds: 0.125 },
    { path: "tests/unit/other_test.ts", passed: true, ran: false, seconds: 0 },
  ]);
  assertEquals(outcomes(""), []);
});
