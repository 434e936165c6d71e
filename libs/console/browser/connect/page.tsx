import type { ConnectView } from '@sluice/types';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { connectApi, type Refusal } from './api';
import { ChooseFields } from './choose-fields';
import { Finished } from './finished';
import { GiveAccess } from './give-access';
import { drawIn } from './look';
import { TryAgain, type ScreenProps } from './parts';
import { plain, Say, texts, type Names } from './texts';

/** The page of one connect session. @param token as the address has it after its `#` */
export function ConnectPage({ token }: { readonly token: string }) {
  const api = useMemo(() => connectApi(token), [token]);
  const [view, setView] = useState<ConnectView>();
  const [refusal, setRefusal] = useState<Refusal>();
  const main = useRef<HTMLElement>(null);
  const reload = async (): Promise<void> => {
    try {
      show(await api.view());
    } catch (caught) {
      setRefusal(caught as Refusal);
    }
  };
  const show = (next: ConnectView): void => {
    setRefusal(undefined);
    setView(next);
  };
  useEffect(() => void reload(), []);
  const { color } = view?.app ?? {};
  useEffect(() => {
    if (color !== undefined) drawIn(color);
  }, [color]);
  const state = refusal === undefined ? view?.state : 'unknown';
  // Who hears the page hears what it says now.
  useEffect(() => main.current?.focus(), [state]);
  return (
    <main ref={main} tabIndex={-1} aria-busy={state === undefined}>
      {refusal !== undefined ? (
        <NotShown refusal={refusal} reload={reload} />
      ) : view === undefined ? (
        <p class="soft" role="status">
          {texts.loading}
        </p>
      ) : (
        <Screen token={token} api={api} view={view} show={show} reload={reload} />
      )}
    </main>
  );
}

/** There is no such link, or the service did not answer. */
function NotShown({ refusal, reload }: { readonly refusal: Refusal; readonly reload: () => Promise<void> }) {
  const isUnknown = ['auth.missing', 'connect-session.not-found', 'request.path-unknown'].includes(refusal.code);
  const title = isUnknown ? texts.titleUnknown : texts.titleFailed;
  useTitle(title);
  return (
    <>
      <h1>{title}</h1>
      {isUnknown ? <p>{texts.unknown}</p> : <TryAgain refusal={refusal} again={reload} />}
    </>
  );
}

function Screen({ token, ...props }: Omit<ScreenProps, 'session' | 'names'> & { readonly token: string }) {
  const { view } = props;
  const { state, app, session } = view;
  const names = namesOf(view);
  const isAgain = session?.installed?.isRefused === true;
  const title = plain(
    state === 'open'
      ? isAgain
        ? texts.titleAgain
        : session?.installed
          ? texts.titleInstalled
          : texts.titleConnect
      : titles[state],
    names,
  );
  useTitle(title);
  const screen = { ...props, names };
  return (
    <>
      <p class="app">
        <bdi>{app.name}</bdi>
      </p>
      <h1>{title}</h1>
      {session?.failure === undefined ? null : (
        <div class="problem" role="alert">
          <p>{session.failure}</p>
        </div>
      )}
      {session === undefined ? (
        <p>
          <Say text={ended[state as keyof typeof ended]} names={names} />
        </p>
      ) : state === 'done' ? (
        <Finished session={session} token={token} names={names} />
      ) : state === 'open' ? (
        <GiveAccess {...screen} session={session} />
      ) : (
        <ChooseFields {...screen} session={session} />
      )}
    </>
  );
}

const titles = {
  connected: texts.titleChoose,
  installed: texts.titleChoose,
  done: texts.titleDone,
  expired: texts.titleExpired,
  used: texts.titleUsed,
  'other-browser': texts.titleOtherBrowser,
} as const;
const ended = { expired: texts.expired, used: texts.used, 'other-browser': texts.otherBrowser } as const;

function namesOf({ app, session }: ConnectView): Names {
  if (session === undefined) return { app: app.name };
  const { provider, group, account } = session;
  return { app: app.name, provider: provider.displayName, group, account };
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
