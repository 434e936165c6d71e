import type { Declaration } from '@sluice/connectors';
import type { Recording, RecordedExchange } from '../recording';
import { ownTexts, type Subject } from '../subjects';
import { scrubRequest } from './scrub-request';
import { createScrubber, type Scrubber } from './scrub-value';
import { trimMetadata } from './trim-metadata';
import { vocabularyOf } from './vocabulary';

export interface ScrubOptions {
  /** Leaves ids of records, users and accounts as they are. @default false */
  readonly keepIds?: boolean;
  /** What the run wrote: its texts are kept wherever they stand. */
  readonly subject: Subject;
  /** What the provider's file says, where it is one. */
  readonly file?: Declaration | undefined;
}

/** A run as it was recorded: with everything of the account, and nothing concluded. */
export type RawRecording = Omit<Recording, 'findings'>;

/** What stands for a token: as long as needed to be taken for one. */
function standIn(token: string): string {
  return token.startsWith('pat-') ? 'pat-na1-scrubbed' : 'scrubbed-token';
}

/** A recording as it may be passed on. What was concluded from it is not among it: that is to be concluded again. */
export function scrub(recording: RawRecording, { keepIds = false, subject, file }: ScrubOptions): RawRecording {
  const { provider, run, startedAt, accessToken, workspaceRef, exchanges } = recording;
  const fields = Object.keys(subject.fields(''));
  const names = [...ownTexts(subject), ...fields];
  const scrubber = createScrubber({
    vocabulary: vocabularyOf(provider, file, names),
    own: new Set(names),
    replaced: { [accessToken]: standIn(accessToken) },
    run,
    startedAt,
    keepIds,
  });
  return {
    ...recording,
    exchanges: exchanges.map((exchange) => scrubExchange(scrubber, trimMetadata(exchange, fields))),
    workspaceRef: scrubber.word(workspaceRef),
    accessToken: standIn(accessToken),
  };
}

function scrubExchange(scrubber: Scrubber, { step, request, reply }: RecordedExchange): RecordedExchange {
  if (!reply) return { step, request: scrubRequest(scrubber, request) };
  const { status, headers, json, text } = reply;
  return {
    step,
    request: scrubRequest(scrubber, request),
    reply: {
      status,
      headers: scrubHeaders(scrubber, headers),
      ...(json !== undefined && { json: scrubber.reply(json) }),
      ...(text !== undefined && { text: scrubber.sentence(text) }),
    },
  };
}

/** Numbers of limits are the account's plan and nobody's name. */
const momentForm = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const limitForm = /^[\d.]+$|^(?:[a-z-]+[=:] ?[\d./]+[,; ]*)+$/i;
const contentTypeForm =
  /^(?:application\/(?:json|xml|problem\+json|vnd\.api\+json|hal\+json)|text\/(?:html|plain|xml))(?:; ?charset=(?:utf-8|iso-8859-1|us-ascii))?$/i;

function scrubHeaders(scrubber: Scrubber, headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name, value]) => {
    if (name === 'content-type') return contentTypeForm.test(value);
    return limitForm.test(value) || (name === 'retry-after' && momentForm.test(value));
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, scrubLimit(scrubber, name, value)]));
}

function scrubLimit(scrubber: Scrubber, name: string, value: string): string {
  if (name === 'content-type' || momentForm.test(value)) return value;
  return value.replace(/[A-Za-z-]+/g, (word) => scrubber.word(word));
}
