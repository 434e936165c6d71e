// Generated from the document of the management API by: npm run generate:client. Do not edit.
/* eslint-disable max-lines */
import type { ApiKey, AuthoredConfig, ConfigVersion, ConnectSession, Connection, CreateApiKeyRequest, CreateConnectSessionRequest, CreateInstallationRequest, CreateIntegrationRequest, CreateJwtKeyReply, CreateJwtKeyRequest, CreateProjectRequest, CreateProviderAppRequest, CreateWebhookEndpointRequest, CreatedWebhookEndpoint, DeployManifestRequest, GenerateConnectionRequest, GroupHealthListReply, HydratedRevision, Installation, InstallationHealthListReply, Integration, JwtKey, LaneListReply, Log, ManifestPreview, ObjectMetadata, Operation, OperationExplanation, OperationListReply, OperationProgress, OperationRecordListReply, Overview, PatchConfigContentRequest, Project, ProviderApp, ProviderInfo, SignedUrl, UpdateApiKeyRequest, UpdateConnectionRequest, UpdateInstallationRequest, UpdateJwtKeyRequest, UpdateProjectRequest, UpdateProviderAppRequest, UpdateWebhookEndpointRequest, WebhookAttempt, WebhookEndpoint, WebhookMessage, WebhookMessageListReply, WebhookMessageWithPayload, WebhookReplayReply, WebhookSecret } from '@sluice/types';
import type { OperationShape } from '../operation-shape';

/** A customer who is to allow an app in. */
export type OauthConnectRequest = { readonly projectIdOrName?: string; readonly projectId?: string; readonly provider: string; readonly groupRef: string; readonly groupName?: string; readonly consumerRef: string; readonly consumerName?: string; readonly providerWorkspaceRef?: string; readonly providerMetadata?: Readonly<Record<string, { readonly value: string; readonly source: 'input' | 'token' | 'provider'; readonly displayName?: string }>>; readonly providerAppId?: string; readonly enableCSRFProtection?: boolean };

/** The providers, by name. */
export type ProviderCatalogue = Readonly<Record<string, ProviderInfo>>;

/** What each operation of the management API takes and answers. */
export interface ManagementOperations {
  /** List projects. */
  readonly listProjects: {
    readonly params: {
    };
    readonly reply: readonly (Project)[];
  };
  /** Create a project. */
  readonly createProject: {
    readonly params: {
      readonly body: CreateProjectRequest;
    };
    readonly reply: Project;
  };
  /** Get a project. */
  readonly getProject: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** true: show the entitlements. */ readonly includeEntitlements?: boolean;
    };
    readonly reply: Project;
  };
  /** Change a project. */
  readonly updateProject: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: UpdateProjectRequest;
    };
    readonly reply: Project;
  };
  /** Delete a project. Its keys, installations, connections and everything else are deleted with it. Waiting writes fail. Calls that are being sent finish and are not retried. */
  readonly deleteProject: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
    };
    readonly reply: void;
  };
  /** List API keys. */
  readonly listApiKeys: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Only keys that are active, or only those that are not. */ readonly active?: boolean;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (ApiKey)[];
  };
  /** Create an API key. */
  readonly createApiKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: CreateApiKeyRequest;
    };
    readonly reply: ApiKey;
  };
  /** Get an API key. */
  readonly getApiKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Public id of the key, never the key itself. */ readonly keyId: string;
    };
    readonly reply: ApiKey;
  };
  /** Change an API key. */
  readonly updateApiKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Public id of the key, never the key itself. */ readonly keyId: string;
      readonly body: UpdateApiKeyRequest;
    };
    readonly reply: ApiKey;
  };
  /** Delete an API key. */
  readonly deleteApiKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Public id of the key, never the key itself. */ readonly keyId: string;
    };
    readonly reply: void;
  };
  /** List JWT keys. */
  readonly listJwtKeys: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Only keys that are active, or only those that are not. */ readonly active?: boolean;
    };
    readonly reply: readonly (JwtKey)[];
  };
  /** Register a JWT key. */
  readonly createJwtKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: CreateJwtKeyRequest;
    };
    readonly reply: CreateJwtKeyReply;
  };
  /** Get a JWT key. */
  readonly getJwtKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Public id of the key, never the key itself. */ readonly keyId: string;
    };
    readonly reply: JwtKey;
  };
  /** Change a JWT key. */
  readonly updateJwtKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Public id of the key, never the key itself. */ readonly keyId: string;
      readonly body: UpdateJwtKeyRequest;
    };
    readonly reply: JwtKey;
  };
  /** Delete a JWT key. */
  readonly deleteJwtKey: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Public id of the key, never the key itself. */ readonly keyId: string;
    };
    readonly reply: void;
  };
  /** List integrations. */
  readonly listIntegrations: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (Integration)[];
  };
  /** Create an integration. */
  readonly createIntegration: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: CreateIntegrationRequest;
    };
    readonly reply: void;
  };
  /** Get an integration. */
  readonly getIntegration: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
    };
    readonly reply: Integration;
  };
  /** Delete an integration. Its installations are deleted with it. */
  readonly deleteIntegration: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
    };
    readonly reply: void;
  };
  /** Get an address for a zip with a manifest. PUT a zip that holds amp.yaml or amp.yml to url within an hour, without a key: at most 1 MB, Content-Type application/zip, application/octet-stream or none. The same zip may be put again, another one not. Then deploy it as sourceZipUrl gs://<bucket>/<path>, within another hour. */
  readonly generateUploadUrl: {
    readonly params: {
      /** MD5 of the zip in base64 (RFC 1864): then other bytes are refused. */ readonly md5?: string;
    };
    readonly reply: SignedUrl;
  };
  /** Deploy a manifest. Creates an integration per entry, or gives it a new revision. With destructive=true installations stop reading the objects that the manifest removes from their integration. Nothing is deleted. */
  readonly deployManifest: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** true: stop reading, in every installation, the objects that the manifest removes. */ readonly destructive?: boolean;
      readonly body: DeployManifestRequest;
    };
    readonly reply: readonly (Integration)[];
  };
  /** See what a manifest would change. The changes that a deployment would make now, or its refusal. Nothing is changed. */
  readonly previewManifest: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: DeployManifestRequest;
    };
    readonly reply: ManifestPreview;
  };
  /** Give an integration a new revision. Uses the manifest's entry of the integration's name. An equal content makes no revision. With destructive=true installations stop reading the objects that the manifest removes. */
  readonly createRevision: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** true: stop reading, in every installation, the objects that the manifest removes. */ readonly destructive?: boolean;
      readonly body: DeployManifestRequest;
    };
    readonly reply: void;
  };
  /** Get a revision with the fields of an account. The data of an installation form. Fields are at most a minute old. */
  readonly getHydratedRevision: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Revision id. */ readonly revisionId: string;
      /** Connection id. */ readonly connectionId: string;
    };
    readonly reply: HydratedRevision;
  };
  /** Get an object's fields for an integration. The object by its mapped or its native name. Fields are at most a minute old. */
  readonly getObjectMetadataForInstallation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Object of the manifest. */ readonly objectName: string;
      /** The builder's id of a group of users. */ readonly groupRef: string;
      /** true: leave out fields that cannot be written. */ readonly excludeReadOnly?: boolean;
    };
    readonly reply: ObjectMetadata;
  };
  /** Get an object's fields at a provider. At the group's newest connection to the provider. Fields are at most a minute old. */
  readonly getObjectMetadataForConnection: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** The SaaS provider. */ readonly provider: string;
      /** Object of the manifest. */ readonly objectName: string;
      /** The builder's id of a group of users. */ readonly groupRef: string;
      /** true: leave out fields that cannot be written. */ readonly excludeReadOnly?: boolean;
    };
    readonly reply: ObjectMetadata;
  };
  /** List connections. */
  readonly listConnections: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** The SaaS provider. */ readonly provider?: string;
      /** The builder's id of a group of users. */ readonly groupRef?: string;
      /** The builder's id of a user. */ readonly consumerRef?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (Connection)[];
  };
  /** Make a connection from credentials. Where an installation uses a connection of the same group, consumer, provider and account, that connection is given the credentials, and is the reply. */
  readonly generateConnection: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: GenerateConnectionRequest;
    };
    readonly reply: Connection;
  };
  /** Get a connection. Secrets are shown, and tokens are refreshed, for keys with the scope full only. */
  readonly getConnection: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Connection id. */ readonly connectionId: string;
      /** true: show the access token and its scopes. */ readonly includeCreds?: boolean;
      /** true: show the refresh token as well; includes includeCreds. */ readonly includeRefreshToken?: boolean;
      /** Refresh the access token first: always, or when it has expired. */ readonly refresh?: 'force' | 'ifExpired';
    };
    readonly reply: Connection;
  };
  /** Change a connection. New credentials must open the same account; the provider is asked. */
  readonly updateConnection: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Connection id. */ readonly connectionId: string;
      readonly body: UpdateConnectionRequest;
    };
    readonly reply: Connection;
  };
  /** Delete a connection. */
  readonly deleteConnection: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Connection id. */ readonly connectionId: string;
    };
    readonly reply: void;
  };
  /** Let a customer connect again. The tokens of the same connection are replaced, when the customer chooses the same account. */
  readonly updateOAuthConnection: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Connection id. */ readonly connectionId: string;
    };
    readonly reply: string;
  };
  /** Let a customer connect an account. The provider sends the customer back to a page, which reports the result to the window that opened it. */
  readonly oauthConnect: {
    readonly params: {
      readonly body: OauthConnectRequest;
    };
    readonly reply: string;
  };
  /** Let a customer connect by our page. A link for one customer, good for 30 minutes. The page connects an account, lets the customer choose fields, and installs the integration. Opening it uses nothing up; the first browser that submits keeps it. It ends with the API key that made it. A project has at most 1,000 open ones. */
  readonly createConnectSession: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: CreateConnectSessionRequest;
    };
    readonly reply: ConnectSession;
  };
  /** End a link to the connect page. Its page says that it has expired. What it has connected, and not installed, is deleted; what it has installed stays. */
  readonly endConnectSession: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /**  */ readonly connectSessionId: string;
    };
    readonly reply: void;
  };
  /** List the installations of a project. */
  readonly listInstallationsForProject: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** The builder's id of a group of users. */ readonly groupRef?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (Installation)[];
  };
  /** See how the installations of a project are doing. Oldest first, without configs: the connection of each, what waits and the last failure. Always in pages. Failures are those of its latest 20 operations, and of up to 20 waiting calls of its connection. */
  readonly listInstallationHealth: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Only this one. */ readonly installationId?: string;
      /** Only of groups that begin so. */ readonly groupRefPrefix?: string;
      /** Only those whose connection the provider refuses. */ readonly badCredentials?: boolean;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: InstallationHealthListReply;
  };
  /** List the installations of an integration. */
  readonly listInstallations: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** The builder's id of a group of users. */ readonly groupRef?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (Installation)[];
  };
  /** Install an integration. */
  readonly createInstallation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** true: do not check field names against the customer's account. */ readonly skipSampling?: boolean;
      readonly body: CreateInstallationRequest;
    };
    readonly reply: Installation;
  };
  /** Get an installation. */
  readonly getInstallation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Installation id. */ readonly installationId: string;
    };
    readonly reply: Installation;
  };
  /** Change an installation. Only what updateMask names is changed; with ifConfigId, only while that config is in force: of two people who change one config at once the second is refused. */
  readonly updateInstallation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Installation id. */ readonly installationId: string;
      /** true: do not check field names against the customer's account. */ readonly skipSampling?: boolean;
      /** Only while this config is in force. */ readonly ifConfigId?: string;
      readonly body: UpdateInstallationRequest;
    };
    readonly reply: Installation;
  };
  /** Delete an installation. */
  readonly deleteInstallation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Installation id. */ readonly installationId: string;
    };
    readonly reply: void;
  };
  /** See how the groups of a project are doing. Each group once, unhealthy ones first, then by name; with search, groups that only their ref matches come last. Always in pages; one reads 5,000 groups at most, and may be short or empty while nextPageToken leads further. Unhealthy installations are looked for among 1,000 refused connections and the newest 2,000 failures, connections without an installation among the newest 2,000. */
  readonly listGroupHealth: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Only groups whose name or ref begins so, whatever the case. */ readonly search?: string;
      /** Only groups in this state; not_installed: with a connection that no installation uses. */ readonly state?: 'unhealthy' | 'bad_credentials' | 'not_installed';
      /** Only groups that have installed it. */ readonly integrationId?: string;
      /** Only this group. */ readonly groupRef?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: GroupHealthListReply;
  };
  /** Patch the config of one object. JSON Patch: add, replace and remove. */
  readonly patchObjectConfig: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Object of the manifest. */ readonly objectName: string;
      /** true: do not check field names against the customer's account. */ readonly skipSampling?: boolean;
      readonly body: PatchConfigContentRequest;
    };
    readonly reply: Installation;
  };
  /** List the configs that an installation has had. Newest first, always in pages, which end at 1 MB of configs. An installation that was deleted still has them. */
  readonly listConfigs: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Installation id. */ readonly installationId: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (AuthoredConfig)[];
  };
  /** Get a config and what it changed. */
  readonly getConfig: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Installation id. */ readonly installationId: string;
      /** Config id. */ readonly configId: string;
    };
    readonly reply: ConfigVersion;
  };
  /** Put a config of the past in force again. Makes a new config with its content, if it fits the manifest of today; with ifConfigId, only while that config is in force. */
  readonly restoreConfig: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Installation id. */ readonly installationId: string;
      /** Config id. */ readonly configId: string;
      /** Only while this config is in force. */ readonly ifConfigId?: string;
    };
    readonly reply: Installation;
  };
  /** Get an operation. With waitSeconds the reply waits for its end. */
  readonly getOperation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Operation id, as the reply of the write gave it. */ readonly operationId: string;
      /** Answer when the operation has ended, or after this many seconds. */ readonly waitSeconds?: number;
    };
    readonly reply: Operation;
  };
  /** List the outcomes of an operation. */
  readonly listOperationRecords: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Operation id, as the reply of the write gave it. */ readonly operationId: string;
      /** Only the record that was sent with this Sluice-Record-Ref. */ readonly ref?: string;
      /** Only records of this status: failed, for example. */ readonly status?: 'pending' | 'succeeded' | 'failed' | 'unknown';
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: OperationRecordListReply;
  };
  /** Read the log of an operation. Oldest first; always in pages, which end at 1 MB. It holds no values of records: a provider's message about a record is part of the record's outcome. */
  readonly listOperationLogs: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Operation id, as the reply of the write gave it. */ readonly operationId: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (Log)[];
  };
  /** See how far an operation is. Records by outcome and calls by state; of an auto-batch how full it is and when it is sealed. */
  readonly getOperationProgress: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Operation id, as the reply of the write gave it. */ readonly operationId: string;
    };
    readonly reply: OperationProgress;
  };
  /** Explain an operation. What happened to each record and why: its plan without values, its call, every attempt with the provider's answer, its outcome. The records of a large operation come in pages of 1 MB. */
  readonly explainOperation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Operation id, as the reply of the write gave it. */ readonly operationId: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: OperationExplanation;
  };
  /** List the operations of an installation. */
  readonly listOperations: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Installation id. */ readonly installationId: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: OperationListReply;
  };
  /** Find operations of a project. The filters are joined by AND. groupRef and groupRefPrefix find operations of installations that exist now. A record is searched for in one installation, in up to 31 days from since on. Where no index helps (hasFailures, problemCode, problemField, problemText, groupRefPrefix, search, recordRef, recordId), and with order=failures-first, a page may be short or empty while nextPageToken leads further back. */
  readonly listOperationsForProject: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Only those of this status. */ readonly status?: 'in_progress' | 'success' | 'failure';
      /** Only those not ended with records that the overview counts so: waiting (to be sent, being sent or tried again), filling (in an open auto-batch), held (by refused credentials or a block). */ readonly open?: 'waiting' | 'filling' | 'held';
      /** The builder's id of a group of users. */ readonly groupRef?: string;
      /** Only of groups that begin so; at most 200 installations. */ readonly groupRefPrefix?: string;
      /** Installation id. */ readonly installationId?: string;
      /** Object of the manifest. */ readonly objectName?: string;
      /** Only those of which a record failed, or is not known to be written. */ readonly hasFailures?: boolean;
      /** Only those of which a record failed with a problem of this provider's code. */ readonly problemCode?: string;
      /** Only those of which a record failed with a problem of this field. */ readonly problemField?: string;
      /** Only those of which a record failed with a problem whose sentence begins so; without problemCode and problemField, one that has neither code nor field. */ readonly problemText?: string;
      /** Only those with a record that was sent with this Sluice-Record-Ref. */ readonly recordRef?: string;
      /** Only those with a record that has this id at the provider. */ readonly recordId?: string;
      /** Only those that this text names: an operation id, its first 8 characters or more, or its last 8; the beginning of the ref or the name of a group, in whatever letters; the Sluice-Record-Ref of a record, or its id at the provider. */ readonly search?: string;
      /** failures-first: those of which no record was written, newest first, then all others. */ readonly order?: 'newest-first' | 'failures-first';
      /** Also count the newest of them by how they stand, whatever the status. */ readonly counts?: boolean;
      /** Only what was accepted, or happened, at this moment or later. */ readonly since?: string;
      /** Accepted before this moment. */ readonly until?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: OperationListReply;
  };
  /** Cancel an operation. Records that have not been sent end as failed, with the class cancelled. Calls that are being sent finish. May be repeated. */
  readonly cancelOperation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Operation id, as the reply of the write gave it. */ readonly operationId: string;
    };
    readonly reply: Operation;
  };
  /** Write the failed records of an operation again. Answers the operation that writes them. A record is replayed once: a repeated request answers the same operation. */
  readonly replayOperation: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Operation id, as the reply of the write gave it. */ readonly operationId: string;
      /** true: also replay records of unknown outcome. The provider may then have them twice. */ readonly force?: boolean;
    };
    readonly reply: Operation;
  };
  /** List the lanes of a project. A lane is the queue of one provider account: what waits in it, what is left of the provider's quota, and until when a refusal blocks it. */
  readonly listLanes: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Only lanes in which calls wait to be sent or to be looked up. */ readonly waiting?: boolean;
      /** sick-first: first a page of lanes that are blocked, held, failing or have calls that wait, the worst first. */ readonly order?: 'oldest-first' | 'sick-first';
      /** Only lanes of groups whose ref or name begins so, or of the account that the provider names so; at most 200. */ readonly search?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: LaneListReply;
  };
  /** See what a project wrote lately. Figures of this project over the last hour (60 points of a minute), day (144 of ten minutes) or week (168 of an hour), up to the last minute that is complete. Services are those of the whole Sluice. A figure is absent where no process was alive that could have counted it. */
  readonly getOverview: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** How far it reaches back. */ readonly span?: 'hour' | 'day' | 'week';
    };
    readonly reply: Overview;
  };
  /** List provider apps. A browser gets only the provider, the client id and `packageInstallURL` of each. */
  readonly listProviderApps: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (ProviderApp)[];
  };
  /** Create a provider app. */
  readonly createProviderApp: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: CreateProviderAppRequest;
    };
    readonly reply: ProviderApp;
  };
  /** Get a provider app. */
  readonly getProviderApp: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Provider app id. */ readonly providerAppId: string;
    };
    readonly reply: ProviderApp;
  };
  /** Change a provider app. */
  readonly updateProviderApp: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Provider app id. */ readonly providerAppId: string;
      readonly body: UpdateProviderAppRequest;
    };
    readonly reply: ProviderApp;
  };
  /** Delete a provider app. */
  readonly deleteProviderApp: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Provider app id. */ readonly providerAppId: string;
    };
    readonly reply: void;
  };
  /** List webhook endpoints. */
  readonly listWebhookEndpoints: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: readonly (WebhookEndpoint)[];
  };
  /** Create a webhook endpoint. The reply holds the secret that its messages are signed with. */
  readonly createWebhookEndpoint: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: CreateWebhookEndpointRequest;
    };
    readonly reply: CreatedWebhookEndpoint;
  };
  /** Get a webhook endpoint. */
  readonly getWebhookEndpoint: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
    };
    readonly reply: WebhookEndpoint;
  };
  /** Change a webhook endpoint. Disabling ends the delivery of pending messages; enabling clears past failures. Events of the time in between are not kept for it. */
  readonly updateWebhookEndpoint: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
      readonly body: UpdateWebhookEndpointRequest;
    };
    readonly reply: WebhookEndpoint;
  };
  /** Delete a webhook endpoint. */
  readonly deleteWebhookEndpoint: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
    };
    readonly reply: void;
  };
  /** Show the secret of a webhook endpoint. */
  readonly getWebhookSecret: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
    };
    readonly reply: WebhookSecret;
  };
  /** Make a new secret for a webhook endpoint. Messages of the next day carry a signature of the new secret and one of the secret until now. */
  readonly rotateWebhookSecret: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
    };
    readonly reply: WebhookSecret;
  };
  /** List the messages of a webhook endpoint. */
  readonly listWebhookMessages: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
      /** Only those of this status. */ readonly status?: 'pending' | 'delivered' | 'failed';
      /** Most results of a page. */ readonly pageSize?: number;
      /** The nextPageToken of the page before. */ readonly pageToken?: string;
    };
    readonly reply: WebhookMessageListReply;
  };
  /** Get a message with its payload. */
  readonly getWebhookMessage: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
      /** Message id: the header svix-id. */ readonly messageId: string;
    };
    readonly reply: WebhookMessageWithPayload;
  };
  /** List the attempts to deliver a message. The last 100, oldest first: a message may be replayed any number of times. */
  readonly listWebhookAttempts: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
      /** Message id: the header svix-id. */ readonly messageId: string;
    };
    readonly reply: readonly (WebhookAttempt)[];
  };
  /** Send a test message. Its type is endpoint.test, whatever types the endpoint asks for. Its attempts hold the receiver's answers. */
  readonly testWebhookEndpoint: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
    };
    readonly reply: WebhookMessage;
  };
  /** Send the failed messages since a moment again. Oldest first, at most 100,000. isComplete says whether these were all. The same request continues with the rest, also after one that was cut off. */
  readonly replayFailedWebhookMessages: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
      /** Only what was accepted, or happened, at this moment or later. */ readonly since: string;
    };
    readonly reply: WebhookReplayReply;
  };
  /** Send a message again. Whether it was delivered or not, with the same svix-id and all its tries. */
  readonly replayWebhookMessage: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Webhook endpoint id. */ readonly endpointId: string;
      /** Message id: the header svix-id. */ readonly messageId: string;
    };
    readonly reply: WebhookMessage;
  };
  /** Make a group. Only older clients need this: a connection makes its group. */
  readonly createGroup: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: { readonly groupRef: string; readonly groupName: string };
    };
    readonly reply: void;
  };
  /** Make a consumer. Only older clients need this: a connection makes its consumer. */
  readonly createConsumer: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      readonly body: { readonly consumerRef: string; readonly consumerName: string };
    };
    readonly reply: void;
  };
  /** List providers. A map from name to provider. */
  readonly listProviders: {
    readonly params: {
    };
    readonly reply: ProviderCatalogue;
  };
  /** Get a provider. */
  readonly getProvider: {
    readonly params: {
      /** The SaaS provider. */ readonly provider: string;
    };
    readonly reply: ProviderInfo;
  };
}

/** How each goes over the wire. */
export const managementOperations: Readonly<Record<keyof ManagementOperations, OperationShape>> = {
  listProjects: { method: 'GET', path: '/projects', query: [] },
  createProject: { method: 'POST', path: '/projects', query: [], body: true },
  getProject: { method: 'GET', path: '/projects/{projectIdOrName}', query: ['includeEntitlements'] },
  updateProject: { method: 'PATCH', path: '/projects/{projectIdOrName}', query: [], body: true },
  deleteProject: { method: 'DELETE', path: '/projects/{projectIdOrName}', query: [] },
  listApiKeys: { method: 'GET', path: '/projects/{projectIdOrName}/api-keys', query: ['active', 'pageSize', 'pageToken'] },
  createApiKey: { method: 'POST', path: '/projects/{projectIdOrName}/api-keys', query: [], body: true },
  getApiKey: { method: 'GET', path: '/projects/{projectIdOrName}/api-keys/{keyId}', query: [] },
  updateApiKey: { method: 'PATCH', path: '/projects/{projectIdOrName}/api-keys/{keyId}', query: [], body: true },
  deleteApiKey: { method: 'DELETE', path: '/projects/{projectIdOrName}/api-keys/{keyId}', query: [] },
  listJwtKeys: { method: 'GET', path: '/projects/{projectIdOrName}/jwt-keys', query: ['active'] },
  createJwtKey: { method: 'POST', path: '/projects/{projectIdOrName}/jwt-keys', query: [], body: true },
  getJwtKey: { method: 'GET', path: '/projects/{projectIdOrName}/jwt-keys/{keyId}', query: [] },
  updateJwtKey: { method: 'PATCH', path: '/projects/{projectIdOrName}/jwt-keys/{keyId}', query: [], body: true },
  deleteJwtKey: { method: 'DELETE', path: '/projects/{projectIdOrName}/jwt-keys/{keyId}', query: [] },
  listIntegrations: { method: 'GET', path: '/projects/{projectIdOrName}/integrations', query: ['pageSize', 'pageToken'] },
  createIntegration: { method: 'POST', path: '/projects/{projectIdOrName}/integrations', query: [], body: true },
  getIntegration: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}', query: [] },
  deleteIntegration: { method: 'DELETE', path: '/projects/{projectIdOrName}/integrations/{integrationId}', query: [] },
  generateUploadUrl: { method: 'GET', path: '/generate-upload-url', query: ['md5'] },
  deployManifest: { method: 'PUT', path: '/projects/{projectIdOrName}/integrations:batch', query: ['destructive'], body: true },
  previewManifest: { method: 'POST', path: '/projects/{projectIdOrName}/integrations:preview', query: [], body: true },
  createRevision: { method: 'POST', path: '/projects/{projectIdOrName}/integrations/{integrationId}/revisions', query: ['destructive'], body: true },
  getHydratedRevision: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}/revisions/{revisionId}:hydrate', query: ['connectionId'] },
  getObjectMetadataForInstallation: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/metadata', query: ['groupRef', 'excludeReadOnly'] },
  getObjectMetadataForConnection: { method: 'GET', path: '/projects/{projectIdOrName}/providers/{provider}/objects/{objectName}/metadata', query: ['groupRef', 'excludeReadOnly'] },
  listConnections: { method: 'GET', path: '/projects/{projectIdOrName}/connections', query: ['provider', 'groupRef', 'consumerRef', 'pageSize', 'pageToken'] },
  generateConnection: { method: 'POST', path: '/projects/{projectIdOrName}/connections:generate', query: [], body: true },
  getConnection: { method: 'GET', path: '/projects/{projectIdOrName}/connections/{connectionId}', query: ['includeCreds', 'includeRefreshToken', 'refresh'] },
  updateConnection: { method: 'PATCH', path: '/projects/{projectIdOrName}/connections/{connectionId}', query: [], body: true },
  deleteConnection: { method: 'DELETE', path: '/projects/{projectIdOrName}/connections/{connectionId}', query: [] },
  updateOAuthConnection: { method: 'PATCH', path: '/projects/{projectIdOrName}/connections/{connectionId}:oauth-update', query: [] },
  oauthConnect: { method: 'POST', path: '/oauth-connect', query: [], body: true },
  createConnectSession: { method: 'POST', path: '/projects/{projectIdOrName}/connect-sessions', query: [], body: true },
  endConnectSession: { method: 'DELETE', path: '/projects/{projectIdOrName}/connect-sessions/{connectSessionId}', query: [] },
  listInstallationsForProject: { method: 'GET', path: '/projects/{projectIdOrName}/installations', query: ['groupRef', 'pageSize', 'pageToken'] },
  listInstallationHealth: { method: 'GET', path: '/projects/{projectIdOrName}/installation-health', query: ['installationId', 'groupRefPrefix', 'badCredentials', 'pageSize', 'pageToken'] },
  listInstallations: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations', query: ['groupRef', 'pageSize', 'pageToken'] },
  createInstallation: { method: 'POST', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations', query: ['skipSampling'], body: true },
  getInstallation: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}', query: [] },
  updateInstallation: { method: 'PATCH', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}', query: ['skipSampling', 'ifConfigId'], body: true },
  deleteInstallation: { method: 'DELETE', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}', query: [] },
  listGroupHealth: { method: 'GET', path: '/projects/{projectIdOrName}/group-health', query: ['search', 'state', 'integrationId', 'groupRef', 'pageSize', 'pageToken'] },
  patchObjectConfig: { method: 'PATCH', path: '/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}/config-content', query: ['skipSampling'], body: true },
  listConfigs: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/configs', query: ['pageSize', 'pageToken'] },
  getConfig: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/configs/{configId}', query: [] },
  restoreConfig: { method: 'POST', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/configs/{configId}:restore', query: ['ifConfigId'] },
  getOperation: { method: 'GET', path: '/projects/{projectIdOrName}/operations/{operationId}', query: ['waitSeconds'] },
  listOperationRecords: { method: 'GET', path: '/projects/{projectIdOrName}/operations/{operationId}/records', query: ['ref', 'status', 'pageSize', 'pageToken'] },
  listOperationLogs: { method: 'GET', path: '/projects/{projectIdOrName}/operations/{operationId}/logs', query: ['pageSize', 'pageToken'] },
  getOperationProgress: { method: 'GET', path: '/projects/{projectIdOrName}/operations/{operationId}/progress', query: [] },
  explainOperation: { method: 'GET', path: '/projects/{projectIdOrName}/operations/{operationId}/explanation', query: ['pageSize', 'pageToken'] },
  listOperations: { method: 'GET', path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/operations', query: ['pageSize', 'pageToken'] },
  listOperationsForProject: { method: 'GET', path: '/projects/{projectIdOrName}/operations', query: ['status', 'open', 'groupRef', 'groupRefPrefix', 'installationId', 'objectName', 'hasFailures', 'problemCode', 'problemField', 'problemText', 'recordRef', 'recordId', 'search', 'order', 'counts', 'since', 'until', 'pageSize', 'pageToken'] },
  cancelOperation: { method: 'POST', path: '/projects/{projectIdOrName}/operations/{operationId}:cancel', query: [] },
  replayOperation: { method: 'POST', path: '/projects/{projectIdOrName}/operations/{operationId}:replay', query: ['force'] },
  listLanes: { method: 'GET', path: '/projects/{projectIdOrName}/lanes', query: ['waiting', 'order', 'search', 'pageSize', 'pageToken'] },
  getOverview: { method: 'GET', path: '/projects/{projectIdOrName}/overview', query: ['span'] },
  listProviderApps: { method: 'GET', path: '/projects/{projectIdOrName}/provider-apps', query: ['pageSize', 'pageToken'] },
  createProviderApp: { method: 'POST', path: '/projects/{projectIdOrName}/provider-apps', query: [], body: true },
  getProviderApp: { method: 'GET', path: '/projects/{projectIdOrName}/provider-apps/{providerAppId}', query: [] },
  updateProviderApp: { method: 'PATCH', path: '/projects/{projectIdOrName}/provider-apps/{providerAppId}', query: [], body: true },
  deleteProviderApp: { method: 'DELETE', path: '/projects/{projectIdOrName}/provider-apps/{providerAppId}', query: [] },
  listWebhookEndpoints: { method: 'GET', path: '/projects/{projectIdOrName}/webhook-endpoints', query: ['pageSize', 'pageToken'] },
  createWebhookEndpoint: { method: 'POST', path: '/projects/{projectIdOrName}/webhook-endpoints', query: [], body: true },
  getWebhookEndpoint: { method: 'GET', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}', query: [] },
  updateWebhookEndpoint: { method: 'PATCH', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}', query: [], body: true },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}', query: [] },
  getWebhookSecret: { method: 'GET', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}/secret', query: [] },
  rotateWebhookSecret: { method: 'POST', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}:rotate-secret', query: [] },
  listWebhookMessages: { method: 'GET', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}/messages', query: ['status', 'pageSize', 'pageToken'] },
  getWebhookMessage: { method: 'GET', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}/messages/{messageId}', query: [] },
  listWebhookAttempts: { method: 'GET', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}/messages/{messageId}/attempts', query: [] },
  testWebhookEndpoint: { method: 'POST', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}:test', query: [] },
  replayFailedWebhookMessages: { method: 'POST', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}:replay', query: ['since'] },
  replayWebhookMessage: { method: 'POST', path: '/projects/{projectIdOrName}/webhook-endpoints/{endpointId}/messages/{messageId}:replay', query: [] },
  createGroup: { method: 'POST', path: '/projects/{projectIdOrName}/groups', query: [], body: true },
  createConsumer: { method: 'POST', path: '/projects/{projectIdOrName}/consumers', query: [], body: true },
  listProviders: { method: 'GET', path: '/providers', query: [] },
  getProvider: { method: 'GET', path: '/providers/{provider}', query: [] },
};
