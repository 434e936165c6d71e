import type { FieldCapabilities } from '@sluice/connectors';
import type { ConfigContent, InstallationContext, ManifestIntegration } from '@sluice/types';
import { writeRulesOf, type WriteKind, type WriteRules } from './write-rules';

interface Kept {
  readonly manifest: ManifestIntegration;
  readonly provider: FieldCapabilities;
  readonly rules: WriteRules;
}

/** Rules by config and kind. Contents never change, and who forgets a config forgets its rules. */
const keptBy = new WeakMap<ConfigContent, Map<string, Kept>>();

/** What writeRulesOf reads, read once per config, manifest and provider. The object is one that the manifest declares. */
export function keptRulesOf(context: InstallationContext, provider: FieldCapabilities, kind: WriteKind): WriteRules {
  const { config, manifest, dropUnmappedFields } = context;
  const ofConfig = keptBy.get(config) ?? new Map<string, Kept>();
  keptBy.set(config, ofConfig);
  const name = `${kind.type}/${dropUnmappedFields}/${context.provider}/${kind.objectName}`;
  const found = ofConfig.get(name);
  if (found?.manifest === manifest && found.provider === provider) return found.rules;
  const rules = writeRulesOf(context, provider, kind);
  ofConfig.set(name, { manifest, provider, rules });
  return rules;
}
