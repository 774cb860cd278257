/** Types of `@std/assert`: each function throws AssertionError where what it says does not hold. */

// deno-lint-ignore-file no-explicit-any

type AnyConstructor = abstract new (...args: any[]) => any;
type ErrorConstructor = abstract new (...args: any[]) => Error;

/** What an assertion throws. */
export class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions);
}

/** The expression is truthy. */
export function assert(expr: unknown, msg?: string): asserts expr;
/** The expression is falsy. */
export function assertFalse(expr: unknown, msg?: string): asserts expr is false;
/** Numbers differ by `tolerance` at most; default: a ten-millionth of `expected`. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void;
/** Each of `expected` is among `actual`. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void;
/** Both are equal, by structure. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void;
/** They differ, by structure. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
/** `Object.is` holds. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T;
/** `Object.is` does not hold. */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void;
/** Neither undefined nor null. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T>;
/** `actual` is greater. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void;
/** `actual` is greater, or the same. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void;
/** `actual` is less. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void;
/** `actual` is less, or the same. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void;
/** It is of the class. */
export function assertInstanceOf<T extends AnyConstructor>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T>;
/** It is not of the class. */
export function assertNotInstanceOf<A, T>(
  actual: A,
  unexpectedType: abstract new (...args: any[]) => T,
  msg?: string,
): asserts actual is Exclude<A, T>;
/** An error, of the class, with the text in its message or its message matched. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: abstract new (...args: any[]) => E,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E;
/** The text matches somewhere. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void;
/** The text matches nowhere. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void;
/** `actual` has all that `expected` has, at any depth. */
export function assertObjectMatch(
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
): void;
/** The text has the other in it. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void;
/** The function throws; answers what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** The function throws an error of the class, with the text in its message; answers it. */
export function assertThrows<C extends ErrorConstructor>(
  fn: () => unknown,
  ErrorClass: C,
  msgIncludes?: string,
  msg?: string,
): InstanceType<C>;
/** The promise that the function returns rejects; answers the reason. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** The promise rejects with an error of the class, with the text in its message; answers it. */
export function assertRejects<C extends ErrorConstructor>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: C,
  msgIncludes?: string,
  msg?: string,
): Promise<InstanceType<C>>;
/** Whether both are equal, by structure. */
export function equal(a: unknown, b: unknown): boolean;
/** Always throws. */
export function fail(msg?: string): never;
/** Always throws: this is not written yet. */
export function unimplemented(msg?: string): never;
/** Always throws: this cannot be reached. */
export function unreachable(msg?: string): never;
