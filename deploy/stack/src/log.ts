/** Takes one line for whoever waits. */
export type Log = (line: string) => void;
