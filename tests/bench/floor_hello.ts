/** Benchmark floor: the least that a compiled program can do. */

console.log("hello");
