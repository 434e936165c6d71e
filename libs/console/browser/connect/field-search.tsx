import type { ConnectObject } from '@sluice/types';
import { useId, useState } from 'preact/hooks';
import type { FieldAttributes } from './parts';
import { plain, texts } from './texts';

type Field = ConnectObject['fields'][number];

/** More are found by typing. */
const optionsMax = 50;

interface SearchOptions {
  readonly field: FieldAttributes;
  readonly fields: readonly Field[];
  /** Name of the chosen field; empty: none. */
  readonly value: string;
  /** Called with a name of the list, or with what was typed and is in no list: the service says what is wrong with it. */
  readonly onChoose: (name: string) => void;
}

/** One of many fields, found by typing a part of its name. Source: ARIA Authoring Practices, combobox with a list. */
export function FieldSearch({ field, fields, value, onChoose }: SearchOptions) {
  const listId = useId();
  const shownOf = (name: string): string => fields.find(({ fieldName }) => fieldName === name)?.displayName ?? name;
  /** What is being typed. Undefined: the choice is shown. */
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const wanted = (typed ?? '').trim().toLowerCase();
  const all = fields.filter(({ fieldName, displayName }) =>
    `${displayName} ${fieldName}`.toLowerCase().includes(wanted),
  );
  const found = all.slice(0, optionsMax);
  const choose = (name: string): void => {
    onChoose(name);
    setTyped(undefined);
    setOpen(false);
  };
  const type = (text: string): void => {
    setTyped(text);
    setOpen(true);
    setAt(0);
    const same = text.trim().toLowerCase();
    const named = fields.find((each) => [each.fieldName, each.displayName].some((name) => name.toLowerCase() === same));
    onChoose(named?.fieldName ?? text.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { [event.key]: step } = { ArrowDown: 1, ArrowUp: -1 } as Record<string, number | undefined>;
    const option = isOpen ? found[at] : undefined;
    if (step !== undefined) {
      setOpen(true);
      setAt(isOpen ? Math.min(Math.max(at + step, 0), found.length - 1) : 0);
    } else if (event.key === 'Enter' && option !== undefined) choose(option.fieldName);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div class="field-search">
      <input
        {...field}
        role="combobox"
        aria-expanded={isOpen && found.length > 0}
        aria-controls={isOpen ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found[at] !== undefined ? `${listId}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={fields.length === 0 ? '' : plain(texts.typeToSearch, { count: fields.length })}
        value={typed ?? shownOf(value)}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onClick={() => setOpen(true)}
        onBlur={() => {
          setOpen(false);
          setTyped(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && fields.length > 0 ? (
        <Options
          listId={listId}
          labelId={field.id}
          found={found}
          at={at}
          moreCount={all.length - found.length}
          choose={choose}
        />
      ) : null}
    </div>
  );
}

interface OptionsProps {
  readonly listId: string;
  readonly labelId: string;
  readonly found: readonly Field[];
  /** The one that Enter chooses. */
  readonly at: number;
  readonly moreCount: number;
  readonly choose: (name: string) => void;
}

function Options({ listId, labelId, found, at, moreCount, choose }: OptionsProps) {
  return (
    <div class="options">
      <div role="listbox" id={listId} aria-labelledby={labelId}>
        {found.map(({ fieldName, displayName }, index) => (
          <div
            key={fieldName}
            role="option"
            id={`${listId}-${index}`}
            aria-selected={index === at}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(fieldName)}
          >
            <bdi>{displayName}</bdi> <span class="soft">{fieldName}</span>
          </div>
        ))}
      </div>
      <p class="soft" role="status">
        {found.length === 0 ? texts.noSuchField : moreCount === 0 ? '' : plain(texts.moreFields, { count: moreCount })}
      </p>
    </div>
  );
}
