/** Stands for a command of which only the run will tell what it is: no program can be called so. */
export const OPEN_COMMAND = "$open";
