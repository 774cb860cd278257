/** What is made when it is first asked for, and the same from then on. A `make` that throws is asked again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
