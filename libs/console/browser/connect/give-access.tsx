import type { ConnectCredentials, ConnectWay } from '@sluice/types';
import { useState } from 'preact/hooks';
import { isBesideFields, issueOf, type Inputs } from './api';
import { ChooseFields } from './choose-fields';
import { Labelled, Problem, Submit, type ScreenProps } from './parts';
import { Say, texts, ways } from './texts';
import { useSend } from './use-send';

/** Says who asks for what, and takes the access. Where the integration is installed already, fields can be chosen without it. */
export function GiveAccess(props: ScreenProps) {
  const { session, names } = props;
  const { installed, hasChoices, account, reads, writes, ways: offered } = session;
  const [isChoosing, setChoosing] = useState(false);
  const isWorking = installed?.isRefused === false;
  const [way, setWay] = useState(isWorking ? undefined : offered[0]);
  if (isChoosing) return <ChooseFields {...props} onCancel={() => setChoosing(false)} />;
  return (
    <>
      <p>
        <Say text={isWorking ? texts.installed : installed ? texts.asksAgain : texts.asks} names={names} />
      </p>
      <dl>
        <Objects title={texts.purpose} objects={[session.integration]} />
        <Objects title={texts.reads} objects={reads} />
        <Objects title={texts.writes} objects={writes} />
      </dl>
      {installed === undefined || account === undefined ? null : (
        <p class="soft">
          <Say text={isWorking ? texts.account : texts.sameAccount} names={names} />
        </p>
      )}
      {isWorking && hasChoices ? (
        <p class="actions">
          <button type="button" class="primary" onClick={() => setChoosing(true)}>
            {texts.changeFields}
          </button>
        </p>
      ) : null}
      {offered.length > 0 ? null : (
        <p>
          <Say text={texts.noWay} names={names} />
        </p>
      )}
      {way === undefined ? null : <Way key={way} way={way} {...props} />}
      <p class="ways">
        {offered
          .filter((each) => each !== way)
          .map((each) => (
            <button key={each} type="button" class="plain" onClick={() => setWay(each)}>
              {isWorking && each === offered[0] ? (
                texts.connectAgain
              ) : (
                <Say text={texts.otherWay} names={{ way: titleOf(each, props) }} />
              )}
            </button>
          ))}
      </p>
      {isWorking ? <WayBack {...props} /> : null}
      <p class="fine">
        <Say text={texts.forward} names={names} />
      </p>
    </>
  );
}

/** Where nothing is to be done, the customer is not left here. */
function WayBack({ session: { returnUrl }, names }: ScreenProps) {
  if (returnUrl === undefined) return <p>{texts.canClose}</p>;
  return (
    <p class="actions">
      <a class="button" href={returnUrl}>
        <Say text={texts.back} names={names} />
      </a>
    </p>
  );
}

function Objects({ title, objects }: { readonly title: string; readonly objects: readonly string[] }) {
  if (objects.length === 0) return null;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <bdi>{objects.join(', ')}</bdi>
      </dd>
    </div>
  );
}

const titleOf = (way: ConnectWay, { names }: ScreenProps): string =>
  way === 'page' ? String(names['provider']) : ways[way].title;

/** One way to give access. What the provider asks for first, such as the address of the account, belongs to each. */
function Way({ way, api, session, names, show, reload }: ScreenProps & { readonly way: ConnectWay }) {
  const { refusal, isBusy, send } = useSend(reload);
  const [values, setValues] = useState<Inputs>(() =>
    Object.fromEntries(session.inputs.map(({ name, value = '' }) => [name, value])),
  );
  const secrets = way === 'page' ? [] : Object.entries(ways[way].fields);
  // A connection that connects again stays where it is.
  const inputs = session.installed === undefined ? session.inputs : [];
  const submit = (): Promise<void> =>
    send(async () => {
      const given = pick(values, new Set(inputs.map(({ name }) => name)));
      if (way === 'page') {
        location.assign(await api.authorize(given));
        return true;
      }
      show(await api.connect({ ...credentialsOf(values, secrets), ...(inputs.length > 0 && { inputs: given }) }));
      return false;
    });
  const set = (name: string) => (event: { readonly currentTarget: HTMLInputElement }) =>
    setValues({ ...values, [name]: event.currentTarget.value });
  const fieldNames = [...inputs, ...secrets.map(([name]) => ({ name }))].map(({ name }) => name);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {inputs.map(({ name, displayName = name, prompt, optionalFor }) => (
        <Labelled
          key={name}
          title={displayName}
          hint={prompt}
          isOptional={optionalFor.includes(way)}
          issue={issueOf(refusal, name)}
        >
          {(field) => <input {...field} value={values[name]} spellcheck={false} onInput={set(name)} />}
        </Labelled>
      ))}
      {secrets.map(([name, title]) => (
        <Labelled key={name} title={title} issue={issueOf(refusal, name)}>
          {(field) => {
            const shared = {
              ...field,
              autocomplete: 'off',
              spellcheck: false,
              value: values[name] ?? '',
              onInput: set(name),
            };
            return isSecret(name) ? <input type="password" {...shared} /> : <input type="text" {...shared} />;
          }}
        </Labelled>
      ))}
      {refusal === undefined || isBesideFields(refusal, fieldNames) ? null : <Problem refusal={refusal} />}
      <p class="hint">
        <Say text={way === 'page' ? texts.toProviderHint : texts.secretHint} names={names} />
      </p>
      <Submit
        text={way === 'page' ? texts.toProvider : texts.connect}
        busyText={way === 'page' ? texts.toProvider : texts.connecting}
        names={names}
        isBusy={isBusy}
      />
    </form>
  );
}

const isSecret = (name: string): boolean => !/\.(?:username|clientId)$/.test(name);

const pick = (values: Inputs, names: ReadonlySet<string>): Inputs =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));

/** `{"basicAuth.username": "a"}` as `{basicAuth: {username: "a"}}`, which requests carry. */
function credentialsOf(values: Inputs, secrets: readonly (readonly [string, string])[]): ConnectCredentials {
  const request: Record<string, string | Record<string, string>> = {};
  for (const [name] of secrets) {
    const [kind = '', member] = name.split('.');
    const { [name]: value = '' } = values;
    if (member === undefined) request[kind] = value;
    else request[kind] = { ...(request[kind] as Record<string, string> | undefined), [member]: value };
  }
  return request;
}
