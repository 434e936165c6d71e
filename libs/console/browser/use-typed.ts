import { useState } from 'preact/hooks';

/**
 * The attributes of a text field whose text is taken when one leaves it. What is typed until then stays, although the page is drawn again.
 * @param value what was taken last
 */
export function useTyped(value: string, take: (text: string) => void) {
  const [typed, setTyped] = useState<string>();
  const leave = (): void => {
    if (typed !== undefined && typed !== value) take(typed);
    setTyped(undefined);
  };
  return {
    value: typed ?? value,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => setTyped(currentTarget.value),
    onChange: leave,
    onBlur: leave,
  };
}
