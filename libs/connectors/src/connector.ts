import { jsonPathFault, nestedField } from '@sluice/types';
import type { AuthScheme, FieldNameForm, FieldOf, ObjectMetadata, ProviderInfo, ProviderSupport } from '@sluice/types';
import { endedPins, pinText } from './pins';
import type {
  AuthorizationRequest,
  BatchCreate,
  BatchRead,
  BatchUpdate,
  CodeExchange,
  CreateWrite,
  DeleteWrite,
  Fields,
  FindCreated,
  ObjectCall,
  ObservedQuota,
  ProviderCall,
  SearchRequest,
  TokenGrant,
  TokenRefresh,
  UpdateWrite,
} from './requests';
import type {
  FoundCreated,
  FreshTokens,
  RecordPage,
  RecordRead,
  RecordResult,
  ReturnedAddress,
  Workspace,
} from './results';

/** A capability with the most records one provider call takes. */
export interface Limited {
  readonly limit: number;
}

/** How a provider treats the fields of a record, as data: all that planning needs. */
export interface FieldCapabilities {
  /** How names of fields compare: settings, defaults and value mappings hold for every spelling of their field. */
  readonly names: FieldNameForm;
  /** Names that are no fields to be written by a record of this type; spelled as `names` compares. Planning leaves them out. */
  readonly reserved: Readonly<Record<'create' | 'update', readonly string[]>>;
  /** The items of a list are joined by it into one text: a multi-select. Absent: lists go as they are. */
  readonly listSeparator?: string;
  /**
   * The field of an object that a name means, in the spelling that planning and search use. Undefined for a path that means no field; a write with it
   * is refused. @default `nestedField`: paths lead into objects of the record
   */
  readonly fieldOf?: (objectName: string, name: string) => string | undefined;
  /**
   * Names of the fields by which people know a record of the object, the most distinctive first; they compare in any case. Shown beside a record that has
   * no id; nothing is decided by them. @default none
   */
  readonly identifying?: (objectName: string) => readonly string[];
  /** What a path that means no field breaks, as the end of a sentence with its remedy. @default 'leads to no field' */
  readonly pathRule?: string;
}

/** The fields of one object, by any name for them. */
export function fieldOfObject({ fieldOf }: FieldCapabilities, objectName: string): FieldOf {
  return fieldOf === undefined ? nestedField : (name) => fieldOf(objectName, name);
}

/** Why a name can mean no field of the object, as the end of a sentence; undefined for one that may. */
export function fieldFault(fields: FieldCapabilities, objectName: string, name: string): string | undefined {
  const fault = jsonPathFault(name);
  if (fault !== undefined || fieldOfObject(fields, objectName)(name) !== undefined) return fault;
  return fields.pathRule ?? 'leads to no field';
}

/**
 * What a provider can do, as data: read when an installation is made and when a write is planned, so that no code
 * tests for a provider's name. `false` means that the method is absent or the request member has no effect.
 */
export interface Capabilities {
  readonly fields: FieldCapabilities;
  readonly batchCreate: Limited | false;
  readonly batchUpdate: Limited | false;
  readonly batchRead: Limited | false;
  /** `limit`: records per page. */
  readonly search: Limited | false;
  readonly delete: boolean;
  /** For which write types a batch can be written wholly or not at all; elsewhere it is always written in part. */
  readonly allOrNone: { readonly create: boolean; readonly update: boolean };
  /** For which write types associations are sent. */
  readonly associations: { readonly create: boolean; readonly update: boolean } | false;
  /** Caller's headers are forwarded to the provider. */
  readonly forwardedHeaders: boolean;
  /** `writeOnUpdate: ifEmpty` works: records can be read by id before an update. */
  readonly ifEmpty: boolean;
  /** The provider's own burst limit per account: `limit` calls per `windowMs`. */
  readonly quota: ObservedQuota;
  /**
   * The limit that the provider has for searches alone, beside `quota`, in which they then do not count. Looks of `findCreated` by search
   * count in it too. `false`: searches are calls like any other.
   */
  readonly searchQuota: ObservedQuota | false;
  /** A request that has no reply may still be committed this long after it was sent. */
  readonly lateCommitMs: number;
}

/** The members of the catalogue beside the capabilities: names, addresses, and how an account is opened. */
export type CatalogueEntry = Omit<ProviderInfo, 'name' | 'support' | 'providerOpts'>;

/**
 * One provider. A method that is absent is a capability the provider lacks; the caller checks, never assumes.
 * Writes return an outcome per record and throw only for a defect of the caller. Reads throw ProviderError.
 */
export interface Connector {
  readonly provider: string;
  readonly capabilities: Capabilities;
  /** How the provider is shown to builders who choose one. */
  readonly catalogue: CatalogueEntry;
  /** Parts of the provider, as manifests name them, that its calls reach. @default none that has a name */
  readonly modules?: readonly string[];
  /** Names of all objects that its calls reach. @default unknown without a call: accounts have objects of their own */
  readonly objects?: readonly string[];
  readonly create?: (write: CreateWrite) => Promise<RecordResult>;
  readonly update?: (write: UpdateWrite) => Promise<RecordResult>;
  /** `ok` also means that the record is gone, where the provider does not report whether it was there. */
  readonly delete?: (write: DeleteWrite) => Promise<RecordResult>;
  /** One result per input, in input order. A record whose outcome the reply does not show is `unknown`. */
  readonly createBatch?: (write: BatchCreate) => Promise<RecordResult[]>;
  /** One result per input, in input order. A record that the reply leaves out is `rejected`. */
  readonly updateBatch?: (write: BatchUpdate) => Promise<RecordResult[]>;
  /** One entry per id or value, in order. Throws where it has no answer for any of them. */
  readonly readBatch?: (read: BatchRead) => Promise<RecordRead[]>;
  /** One page of records. */
  readonly search?: (search: SearchRequest) => Promise<RecordPage>;
  /** The object's fields as this account has them. May be a minute old. */
  readonly describe?: (call: ObjectCall) => Promise<ObjectMetadata>;
  /**
   * Changes a refresh token into an access token. Throws ProviderError. `credentials`: the provider says that the grant is gone. `rejected`: the
   * provider refuses the app itself; the connection keeps its state. `quota`, `unavailable`, `timeout`: the refresh can be tried again. Never throws
   * after the provider gave tokens, whatever else its reply says: the old refresh token may be dead.
   */
  readonly refresh?: (refresh: TokenRefresh) => Promise<FreshTokens>;
  /** How an account can be opened. What is not in it is refused before anything is sent. */
  readonly authSchemes: readonly AuthScheme[];
  /** Schemes of connections that exist, which the provider takes no more from a day on, with the reason and the remedy. @default none */
  readonly endingSchemes?: Readonly<Partial<Record<AuthScheme, string>>>;
  /** Where a customer allows an app in. Absent: no scheme of this provider has such a page. */
  readonly authorizationUrl?: (request: AuthorizationRequest) => string;
  /**
   * Where a customer's account is, by the query parameters of the return. Called before `exchangeCode`, which takes the result
   * as metadata. Absent: the provider's return names no address.
   */
  readonly returnedAddress?: (parameters: Readonly<Record<string, string>>) => ReturnedAddress;
  /** Changes the code of that page into tokens. Throws as `refresh` does; a code that is refused is `credentials`. */
  readonly exchangeCode?: (exchange: CodeExchange) => Promise<FreshTokens>;
  /**
   * Tokens for the connection's own credentials: client credentials, or a user's password. Throws as `refresh` does, but
   * what is refused is the connection's: `credentials`.
   */
  readonly grant?: (grant: TokenGrant) => Promise<FreshTokens>;
  /**
   * The workspace is a name in the address, and no reply gives an id of the account: the same user there shows that it is the same account.
   * @default false: the workspace is such an id, or `workspace` reports one
   */
  readonly isNamedByAddress?: boolean;
  /** Which account the credentials open. Also the cheapest proof that they work, where the provider is known to have one. */
  readonly workspace: (call: ProviderCall) => Promise<Workspace>;
  /**
   * Looks up creates of unknown outcome; one entry per input, in order. Does not throw for a provider's failure.
   * No proof before the late-commit window and `visibilityMs` have passed since the last send.
   */
  readonly findCreated?: (find: FindCreated) => Promise<FoundCreated[]>;
  /**
   * Equal for two ids of one record, where a provider has several forms of an id. Writes to one record are recognised by it;
   * never sent, and an id that the provider cannot have is its own key.
   */
  readonly recordKey: (recordId: string) => string;
  /** How long a committed create of these fields may stay invisible to `findCreated`, in milliseconds. 0: consistent. */
  readonly visibilityMs: (objectName: string, fields: Fields) => number;
  /**
   * What makes two creates the same for reconciliation: those of equal fingerprint compete for the same records.
   * A hash, so it can be stored and indexed without the customer's values.
   */
  readonly fingerprint: (objectName: string, fields: Fields) => string;
}

/** The connectors of this process, by provider name. */
export interface ConnectorRegistry {
  readonly find: (provider: string) => Connector | undefined;
  /** Every connector: who else has a capability that one lacks. */
  readonly all: () => readonly Connector[];
  readonly names: () => Iterable<string>;
  /** @throws NotFoundError `provider.unknown`, naming the nearest */
  readonly get: (provider: string) => Connector;
  /** Ends idle connections and waits for running calls. */
  readonly close: () => Promise<void>;
}

/** Why an integration with this module cannot be written to or searched; undefined where it can, as without a module. */
export function unservedModule({ provider, modules = [] }: Connector, module: string | undefined): string | undefined {
  if (module === undefined || modules.includes(module)) return undefined;
  return `the module "${module}" of ${provider} is not served; served: ${modules.join(', ') || 'none that has a name'}`;
}

/** A provider as the catalogue shows it: its entry, its connector's capabilities, and which of its schemes have ended. */
export function providerInfo(connector: Connector, now = new Date()): ProviderInfo {
  const { provider, catalogue, capabilities, ...methods } = connector;
  const write = methods.create !== undefined || methods.update !== undefined;
  const ended = endedPins(now).filter((pin) => pin.of === provider);
  const endedVersions = ended.length > 0 ? { endedVersions: ended.map(pinText) } : {};
  return { name: provider, ...catalogue, support: supportOf(capabilities, write), ...endedVersions, providerOpts: {} };
}

/** `read`, `subscribe` and `proxy` are false: a manifest's settings for them are stored, but not executed. Bulk jobs are not used. */
function supportOf(capabilities: Capabilities, write: boolean): ProviderSupport {
  const none = { supported: false };
  return {
    bulkWrite: { insert: false, update: false, upsert: false, delete: false },
    batchWrite: {
      create: batchOf(capabilities.batchCreate),
      update: batchOf(capabilities.batchUpdate),
      upsert: none,
      delete: none,
    },
    proxy: false,
    read: false,
    write,
    subscribe: false,
    delete: capabilities.delete,
    search: { operators: { equals: capabilities.search !== false } },
  };
}

function batchOf(limited: Limited | false) {
  return limited === false ? { supported: false } : { supported: true, defaultRecordLimit: limited.limit };
}
