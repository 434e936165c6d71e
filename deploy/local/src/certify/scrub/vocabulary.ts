import type { Declaration } from '@sluice/connectors';
import { publicWords } from './public-words';

/** What may be kept of a provider's replies: whatever is not in here is the customer's. */
export interface Vocabulary {
  /** Members whose values the connector reads, and which may therefore be kept where they are words of the provider. */
  readonly read: ReadonlySet<string>;
  /** Of them those that hold sentences, of which each word is looked at. */
  readonly sentences: ReadonlySet<string>;
  /** The text, or each part of a name, is a word of the provider's public documentation. */
  readonly isPublic: (text: string) => boolean;
}

const listed = (names: string): readonly string[] => names.trim().split(/\s+/);

/** Members that an error or a status has nearly everywhere. */
const commonRead = listed('id Id status code type name category error errors success');
const commonSentences = listed('message detail title error error_description description');

/** Members that the connectors in code read besides. Source: `hubspot/wire.ts`, `salesforce/wire.ts` and who calls them. */
const ownRead: Readonly<Record<string, readonly string[]>> = {
  hubspot: listed(`
    fieldType objectTypeId requiredProperties propertyName propertiesWithError ids policyName objectWriteTraceId portalId
    hubId userId scopes subCategory errorType numErrors total toObjectTypeId fromObjectTypeId referencedObjectType
    requiredGranularScopes
  `),
  salesforce: listed(`
    errorCode statusCode fields referenceTo relationshipName organization_id user_id duplicateRule totalSize length scale
    precision soapType
  `),
};

/** @param file of a provider that is one */
export function vocabularyOf(provider: string, file: Declaration | undefined, own: readonly string[]): Vocabulary {
  const pointers = file === undefined ? [] : pointersOf(file);
  const messages = file?.errors.flatMap(({ message }) => message) ?? [];
  const words = new Set([...publicWords, ...own.flatMap(partsOf), ...textsOf(file).flatMap(partsOf)]);
  const sentences = new Set([...commonSentences, ...messages.map(lastStep)]);
  return {
    read: new Set([...commonRead, ...(ownRead[provider] ?? []), ...pointers.map(lastStep), ...sentences]),
    sentences,
    isPublic: (text) => {
      return !isOfSomebody(text) && partsOf(text).every((part) => words.has(part) || /^\d{1,3}$/.test(part));
    },
  };
}

/** A character by its name or number in HTML, such as `&nbsp;`, as a part of a pattern. */
export const entitySource = String.raw`&#?\w{1,8};`;

/** Digits in groups that are a provider's words: a standard object of HubSpot, `0-1`, and the month of its API. Source: reference A1. */
const providerGroups = /^(?:0-\d{1,3}|2026-\d\d)$/;

/**
 * A mail address, whatever its words are, or digits in groups and no letter: a phone, an IP address, a day. What is somebody's as a
 * whole is no word of a provider because each of its parts is.
 */
export function isOfSomebody(text: string): boolean {
  if (/.@./s.test(text)) return true;
  const shown = text.replaceAll(new RegExp(entitySource, 'g'), ' ');
  return /\d\D+\d/.test(shown) && !/\p{L}/u.test(shown) && !providerGroups.test(shown);
}

/** The words of a name or a text, in small letters: `Created_By` and `createdBy` have the same two. */
function partsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return (spaced.match(/\p{L}+|\p{N}+/gu) ?? []).map((part) => part.toLowerCase());
}

const lastStep = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** Parts of a file that a person reads, and which say nothing of what goes over the wire. */
const prose = ['facts', 'displayName', 'docsUrl', 'label', 'prompt', 'options'];

/** Every text and every name of a file but its prose: all of it is public. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).filter(([name]) => !prose.includes(name));
  return members.flatMap(([name, inner]) => [name, ...textsOf(inner)]);
}

function pointersOf({ account, create, update, search, fields, errors }: Declaration): string[] {
  return textsOf([account, create.reply, update.reply, search, fields, errors]).filter((text) => text.startsWith('/'));
}
