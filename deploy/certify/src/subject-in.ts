import { loadDeclarations, type Declaration } from '@sluice/connectors';
import { scrub, type RawRecording } from './scrub/scrub';
import { subjectOfFile } from './subject-of-file';
import { subjectOf, type Subject } from './subjects';

/** What a recorded run wrote, and the file of its provider where it is one. @throws Error when nobody knows any more */
export function subjectIn(
  { provider, words = {} }: RawRecording,
  providersDir?: string,
): { subject: Subject; file: Declaration | undefined } {
  const file = loadDeclarations(providersDir).find(({ name }) => name === provider);
  const subject = subjectOf(provider) ?? (file && subjectOfFile(file, words));
  if (typeof subject === 'object') return { subject, file };
  throw new Error(subject ?? `${provider}: nobody has said which records to make there`);
}

/** Scrubs a recording of a provider that comes along. */
export function scrubRecording(recording: RawRecording): RawRecording {
  return scrub(recording, subjectIn(recording));
}
