/** Something that waits until it is let go. */
export interface Held {
  readonly held: Promise<void>;
  readonly letGo: () => void;
}

export function hold(): Held {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  return { held, letGo: () => letGo() };
}
