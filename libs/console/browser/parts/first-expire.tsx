import { Moment } from './moment';

/** Until when writes wait. @param at when the first of them is given up; undefined while none has a deadline */
export function FirstExpire({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <>until their deadline</>;
  return <>the first expire {Date.parse(at) <= Date.now() ? 'now' : <Moment of={at} />}</>;
}
