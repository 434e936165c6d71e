import type { Declaration } from '@sluice/connectors';

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

/**
 * Words of the providers' public documentation, of their field names and of their error texts, in small letters; what a file names itself
 * comes on top. A word that is also a first name is left out: its placeholder costs a reader little.
 */
const publicWords: readonly string[] = `
2010 com count example feed me ok phones q ratelimit rest userinfo zuid 2026 a about accepted accepts access account accounts accountsource action actions activate active actively activity add added additional
address after again agent agents aggregatable aggregate all allowed already always an and annualrevenue any api app appended appid application
apps archivable archive archived are argument array asc ascending assigned associated associatedcompanyid association associationcategory
associations associationtypeid at attribute attributes aud auth authenticate authenticated authentication author authorization authorized auto
available back bad banned base batch be because been before being below between birthdate blank body bool boolean both bounced bulk business but
by byindex byte bytes calculated calendar call called calls can cannot cascade case category change changed character characters check checkbox
child childrelationships city clause client closed closedate code collection column combo combobox committed compact compacted companies company
complete completed composite concurrent condition conflict conflicting conflicts connection connectionreceived constraint contact contacts contain
contains content context contract control controlled controller conversion correct correlation could couldn country create createable created
createdate createdby creating credentials criteria crm cross currencies currency currently currentrequest cursor custom daily data database date
datetime day days deal dealname deals dealstage decimal deduplication default defaulted defined definition degree deletable delete deleted denied
department dependent deprecated desc descending describe description detail details detected developer developers did digit digits direction
disabled display do docs document documentation does doesnt domain done double duplicate duplicated duplicates during each edit either email
emails employees empty enabled encrypted end endpoint enough enrolled entity enum enumeration eq equal equals error errors event exact exceed
exceeded exception exclusive exist existing exists expected expired expires extension external extra failed failure false family fax feature field
fields fieldtype file filter filterable filters find firewall first firstname flag float for forbidden form format formatted formula found from
full fully function functionality gender geo get given go grant granted granular greater group groupable grouping groups had halted hand has have
having header headers here hidden hierarchical hierarchy history hosting hour hours hs html http https hub hubspot hubspotdefined hubspotscore i
iana id identifier identifiers identity ids if in inactive include included incorrect index indexed individual industry infer info input inputs
insert insufficient int integer integration integrity internal interval invalid is isdeleted isn issue it item items its job jobtitle join json
key keys kind klaviyo known label labels language large last lastmodified lastmodifieddate lastname later latest layout layoutable lead leading
leads least length less level lifecycle lifecyclestage limit limits link linkedin links list literal locale location lock locked logged login long
longer lookup mailing malformed mandatory many mapping marital mask match matches matching maximum media member membership merge mergeable merged
message messages meta metadata method methods middle middlename military millisecond milliseconds minimum minute minutes missing mobile
mobilephone mode modification modified modstamp module modules more mru multi multiple must name named namefield names nature near need needed
needs next nickname nillable no non none normalized not note notes null nullable num number numbers numemployees numeric o oauth object objects
obtain occurred of off offset often on once one only open operation operations operator operators opportunities opportunity opted option options
or order orderable ordering orders org organization organizations original other others out outside overview own owned owner page pages pagination
parameter parameters parent parse parser part partial password patch path pattern payload pending per perform performed permission permissionable
permissions person persons phone phonenumber pick picklist pipeline pipelines please plural pointer policy polymorphic portal position post postal
postalcode precision preferred prefix previous primary privacy private problem problems process processed processing profile profiles properties
property prospecting provide provided public put qualified quantity queries query queryable quota quote radio range rate rates raw reached read
reading reason received recent record records redirect reference referenced referral refresh refused registered regular rejected related relation
relationship relationships relative remaining remove removed replicateable reply report reports request requested requests require required
requires reset resource resources response restricted result results retrieveable retry role rolled rolling root row rows rule rules running s
sales salesforce salutation same sandbox scalar scale schema schemas school scope scopes score search searchable searchlayouts second secondary
secondly seconds secret section secure see seems select selected self semantics send seniority sensitive sensitivity sent sequences server service
services session set setting settings sforce should show shown side similar single singular size soap sobject sobjects some something soon sort
sortable sorts source specified specify stage stagename stages standard start started state status step still stop storage store street string
strings study style sub subject submitted subscription success successful successfully such suffix supplied support supported supports sync syntax
system t table tag tags target task tel template temporarily temporary ten test testing text textarea than that the their them then there these
they this through ticket tickets time timeout timestamp timestamps timezone title to together token too total trace trial trigger triggerable
triggers true try trying twitterhandle two type types ui unable unauthorized unavailable undeletable under unexpected unique unit unknown
unlabeled unprocessable unsupported until unworked update updateable updated updates updating upper upsert uri url urls usage use used user
userinfo username users uses using utc v valid validation value values varchar verified verifier verify version versions via vids view viewed
violation visible want warning warnings was we web webhook website were what when where whether which while who with within without work workspace
write written wrong x you your zip zone zoneinfo
`
  .trim()
  .split(/\s+/);
