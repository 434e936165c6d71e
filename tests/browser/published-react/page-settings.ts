/** Settings that the page gets in its address. */
export interface PageSettings {
  readonly view: 'connect' | 'headless' | 'prebuilt';
  /** Name or id of the project. */
  readonly project: string;
  /** @default bearer tokens of the page's own server */
  readonly apiKey?: string;
  readonly integration: string;
  readonly provider: string;
  readonly objectName: string;
  /** Names of two fields of the object: one to read, and one to give a default to. */
  readonly fields: { readonly read: string; readonly written: string };
  readonly groupRef: string;
  readonly consumerRef: string;
}
