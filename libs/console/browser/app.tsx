import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { forgetLists, hrefOf, useRoute, type Route } from './use-route';
import { leaveProject, readSession, signOut, type Session } from './session';
import { useShortcuts } from './use-shortcuts';
import { CommandPalette } from './parts/command-palette';
import { NetworkBanner } from './parts/network-banner';
import { NoPage } from './parts/no-page';
import { ConfigEditorPage } from './pages/config-editor';
import { CustomerPage } from './pages/customer';
import { CustomersPage } from './pages/customers';
import { DevelopersPage } from './pages/developers/developers';
import { LanesPage } from './pages/lanes';
import { NewCustomerPage } from './pages/new-customer';
import { OperationPage } from './pages/operation';
import { OperationsPage } from './pages/operations';
import { OverviewPage } from './pages/overview';
import { SignInPage } from './pages/sign-in';

const tabs = [
  ['overview', 'Overview'],
  ['operations', 'Operations'],
  ['customers', 'Customers'],
  ['lanes', 'Lanes'],
  ['developers', 'Developers'],
] as const;

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent);

/** How often "a minute ago" is counted anew. */
const everyMs = 5_000;

export function App() {
  const [session, setSession] = useState(readSession);
  const route = useRoute();
  useClock();
  useTitle(session === undefined ? 'sign-in' : route.path);
  if (session === undefined) return <SignInPage onSignIn={setSession} />;
  const leave = (): void => {
    forgetLists();
    setSession(undefined);
  };
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to content
      </a>
      <Header session={session} path={route.path} onLeave={leave} />
      <main id="content" tabIndex={-1}>
        <NetworkBanner />
        <Page session={session} route={route} />
      </main>
    </>
  );
}

interface HeaderOptions {
  readonly session: Session;
  readonly path: string;
  /** Signed out, or on the way to another project. */
  readonly onLeave: () => void;
}

function Header({ session, path, onLeave }: HeaderOptions) {
  const { person, project } = session;
  const nav = useRef<HTMLElement>(null);
  const [isFinding, setFinding] = useState(false);
  useShortcuts(() => setFinding(true));
  const [tab] = path.split('/');
  // On a narrow screen the tabs scroll: the current one is in sight.
  useLayoutEffect(() => {
    const current = nav.current?.querySelector('[aria-current]')?.getBoundingClientRect();
    const shown = nav.current?.getBoundingClientRect();
    if (current === undefined || shown === undefined) return;
    nav.current?.scrollBy({ left: current.left + current.width / 2 - shown.left - shown.width / 2 });
  }, [tab]);
  const leave = async (): Promise<void> => {
    await signOut(session);
    onLeave();
  };
  const changeProject = (): void => {
    leaveProject();
    onLeave();
  };
  return (
    <header>
      <a class="brand" href={hrefOf('overview')}>
        <span class="mark" aria-hidden="true" />
        Sluice
      </a>
      <nav aria-label="Pages of the console" ref={nav}>
        {tabs.map(([name, title]) => (
          <a key={name} href={hrefOf(name)} aria-current={tab === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="who">
        <button
          type="button"
          class="find"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setFinding(true)}
        >
          Find <kbd aria-hidden="true">{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
        </button>
        <span class="project" title={`Project ${project.name} (${project.id})`}>
          {project.name}
        </span>
        {person === undefined ? null : (
          <>
            <button type="button" class="plain" onClick={changeProject}>
              Other project
            </button>
            <span class="person" title={person.name}>
              {person.name} ({person.role})
            </span>
          </>
        )}
        <button type="button" class="plain" onClick={() => void leave()}>
          Sign out
        </button>
      </div>
      {isFinding ? <CommandPalette session={session} onClose={() => setFinding(false)} /> : null}
    </header>
  );
}

function Page({ session, route }: { readonly session: Session; readonly route: Route }) {
  const [name = '', id, ...more] = route.path.split('/');
  if (name === 'overview') return <OverviewPage session={session} query={route.query} />;
  if (name === 'operations' && id !== undefined)
    return <OperationPage key={id} session={session} operationId={id} query={route.query} />;
  if (name === 'operations') return <OperationsPage session={session} query={route.query} />;
  if (name === 'customers' && id === 'new') return <NewCustomerPage session={session} />;
  if (name === 'customers' && id !== undefined && more[0] === 'config')
    return <ConfigEditorPage key={id} session={session} installationId={id} />;
  if (name === 'customers' && id !== undefined)
    return <CustomerPage key={id} session={session} installationId={id} query={route.query} />;
  if (name === 'customers') return <CustomersPage session={session} query={route.query} />;
  if (name === 'developers')
    return <DevelopersPage session={session} path={id === undefined ? [] : [id, ...more]} query={route.query} />;
  if (name === 'lanes') return <LanesPage session={session} query={route.query} />;
  return <NoPage path="overview" title="the overview" />;
}

/** Draws everything again now and then. */
function useClock(): void {
  const [, draw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => draw((count) => count + 1), everyMs);
    return () => clearInterval(timer);
  }, []);
}

/** Names the tab until the head of the page does, and begins a new page where its content does: for the keyboard and for who hears it. */
function useTitle(path: string): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    document.title = `${tabs.find(([name]) => name === path.split('/')[0])?.[1] ?? 'Sign in'} · Sluice`;
  }, [path]);
  useEffect(() => {
    if (!isFirst.current) document.getElementById('content')?.focus();
    isFirst.current = false;
  }, [path]);
}

/** The part after # names the page, so the link itself must not be followed. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
