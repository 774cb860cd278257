/** What a review may spend: comparing rules with rules must end in time, however many there are. */

/** Elementary comparisons left. What runs out is left unproved, never guessed. */
export interface Budget {
  left: number;
}

/** About two seconds' work: a policy of 10,000 rules takes a tenth of it. */
export const REVIEW_STEPS = 20_000_000;

/** Whether there was something left to spend. */
export function spend(budget: Budget, steps = 1): boolean {
  if (budget.left <= 0) return false;
  budget.left -= steps;
  return true;
}
