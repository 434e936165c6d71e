import { useEffect, useState } from 'preact/hooks';
import { hrefOf, useRoute, type Route } from './use-route';
import { leaveProject, readSession, signOut, type Session } from './session';
import { NetworkBanner } from './parts/network-banner';
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

/** How often "a minute ago" is counted anew. */
const everyMs = 5_000;

export function App() {
  const [session, setSession] = useState(readSession);
  const route = useRoute();
  useClock();
  useTitle(session === undefined ? 'sign-in' : route.path);
  if (session === undefined) return <SignInPage onSignIn={setSession} />;
  const { person } = session;
  const leave = async (): Promise<void> => {
    await signOut(session);
    setSession(undefined);
  };
  const changeProject = (): void => {
    leaveProject();
    setSession(undefined);
  };
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to content
      </a>
      <header>
        <a class="brand" href={hrefOf('overview')}>
          <span class="mark" aria-hidden="true" />
          Sluice
        </a>
        <nav aria-label="Pages of the console">
          {tabs.map(([path, name]) => (
            <a key={path} href={hrefOf(path)} aria-current={route.path.split('/')[0] === path ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span class="project" title={session.project.id}>
          {session.project.name}
        </span>
        {person === undefined ? null : (
          <>
            <button type="button" class="plain" onClick={changeProject}>
              Other project
            </button>
            <span class="person">
              {person.name} ({person.role})
            </span>
          </>
        )}
        <button type="button" class="plain" onClick={() => void leave()}>
          Sign out
        </button>
      </header>
      <main id="content" tabIndex={-1}>
        <NetworkBanner />
        <Page session={session} route={route} />
      </main>
    </>
  );
}

function Page({ session, route }: { readonly session: Session; readonly route: Route }) {
  const [name = '', id, ...more] = route.path.split('/');
  if (name === 'overview') return <OverviewPage session={session} query={route.query} />;
  if (name === 'operations' && id !== undefined) return <OperationPage key={id} session={session} operationId={id} />;
  if (name === 'operations') return <OperationsPage session={session} query={route.query} />;
  if (name === 'customers' && id === 'new') return <NewCustomerPage session={session} />;
  if (name === 'customers' && id !== undefined)
    return <CustomerPage key={id} session={session} installationId={id} query={route.query} />;
  if (name === 'customers') return <CustomersPage session={session} query={route.query} />;
  if (name === 'developers')
    return <DevelopersPage session={session} path={id === undefined ? [] : [id, ...more]} query={route.query} />;
  if (name === 'lanes') return <LanesPage session={session} query={route.query} />;
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        Go on with the <a href={hrefOf('operations')}>operations</a>.
      </p>
    </div>
  );
}

/** Draws everything again now and then. */
function useClock(): void {
  const [, draw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => draw((count) => count + 1), everyMs);
    return () => clearInterval(timer);
  }, []);
}

/** Names the tab, and begins a new page where its content does: for the keyboard and for who hears the page. */
function useTitle(path: string): void {
  useEffect(() => {
    const isFirst = document.title === 'Sluice';
    document.title = `${tabs.find(([name]) => name === path.split('/')[0])?.[1] ?? 'Sign in'} · Sluice`;
    if (!isFirst) document.getElementById('content')?.focus();
  }, [path]);
}

/** The part after # names the page, so the link itself must not be followed. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
