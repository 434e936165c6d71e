import { ValidationError } from '@sluice/errors';
import type { FieldCapabilities } from '@sluice/connectors';
import type { FieldSettings, JsonValue, WriteType } from '@sluice/types';
import { contactsInstallation, exactFields, planWrite, seeded, type ContactSettings } from '../../test/builders';
import type { PlannedWrite } from './plan-write';

// Fields m0..m5 are mapped to f0..f5; f6..f9 are not mapped. Settings stand under the name that requests use.
const mappedNames = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'];
const plainNames = ['f6', 'f7', 'f8', 'f9'];
const values: [JsonValue, ...JsonValue[]] = ['Hot', 'Cold', '', null, 0, false, 'hot_lead', ['Hot']];

const anyCase: FieldCapabilities = { ...exactFields, names: 'case-insensitive' };

interface Scene {
  readonly provider: FieldCapabilities;
  readonly settings: ContactSettings;
  readonly type: Exclude<WriteType, 'delete'>;
  readonly record: Record<string, JsonValue>;
}

function generate(random: () => number): Scene {
  const pick = <T>([first, ...rest]: readonly [T, ...T[]]): T => {
    return rest[Math.floor(random() * (rest.length + 1)) - 1] ?? first;
  };
  const setting = (): FieldSettings => ({
    ...(random() < 0.5 ? { default: { stringValue: 'Hot' } } : {}),
    ...(random() < 0.3 ? { writeOnCreate: pick(['always', 'never'] as const) } : {}),
    ...(random() < 0.4 ? { writeOnUpdate: pick(['always', 'never', 'ifEmpty'] as const) } : {}),
  });
  const names = [...mappedNames, ...plainNames];
  const chosen = names.filter(() => random() < 0.4);
  const sent = names.filter(() => random() < 0.6);
  const alias = (name: string): string => (name.startsWith('m') && random() < 0.3 ? name.replace('m', 'f') : name);
  const provider = pick([exactFields, anyCase] as const);
  // A mapped name is the builder's own; a provider's name may come in any case where the provider takes it so.
  const spelled = (name: string): string => {
    return provider === anyCase && name.startsWith('f') && random() < 0.5 ? name.toUpperCase() : name;
  };
  const type = pick(['create', 'update'] as const);
  return {
    type,
    provider,
    record: {
      ...Object.fromEntries(sent.map((name) => [spelled(alias(name)), pick(values)])),
      ...(type === 'update' ? { id: '7' } : {}),
    },
    settings: {
      inherits: random() < 0.7,
      dropUnmappedFields: random() < 0.3,
      read: {
        selectedFieldMappings: Object.fromEntries(mappedNames.map((name) => [name, name.replace('m', 'f')])),
        selectedValueMappings: { f0: { Hot: 'hot_lead', Cold: '' }, f6: { Hot: 'warm' } },
      },
      write: {
        selectedFieldSettings: Object.fromEntries(chosen.map((name) => [name, setting()])),
        selectedValueDefaults: {
          [pick(['m0', 'm3', 'f6', 'f9'])]: { value: true, applyOnUpdate: pick(['always', 'never'] as const) },
        },
      },
    },
  };
}

function planOf({ settings, type, provider }: Scene, record: Record<string, JsonValue>): PlannedWrite | undefined {
  try {
    return planWrite(contactsInstallation(settings), provider, {
      type,
      objectName: 'contacts',
      record,
      path: 'record',
    });
  } catch (error) {
    if (error instanceof ValidationError && error.code === 'write.nothing-to-write') return undefined;
    throw error;
  }
}

// A plan that is written, read back and planned again must not change.
describe('planning what was planned', () => {
  it('changes no field', () => {
    let planned = 0;
    for (let seed = 0; seed < 2_000; seed += 1) {
      const scene = generate(seeded(seed));
      const first = planOf(scene, scene.record)?.plan;
      if (first === undefined) continue;
      planned += 1;
      const again = { ...first.fields, ...(first.recordId === undefined ? {} : { id: first.recordId }) };
      expect({ seed, fields: planOf(scene, again)?.plan.fields ?? {} }).toEqual({ seed, fields: first.fields });
    }
    expect(planned).toBeGreaterThan(1_500);
  });

  it('is the same for the same input, and touches neither record nor config', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const scene = generate(seeded(seed));
      const before = JSON.stringify(scene);
      const first = planOf(scene, scene.record);
      expect(planOf(scene, scene.record)).toEqual(first);
      expect(JSON.stringify(scene)).toBe(before);
    }
  });

  it('sends exactly what the decisions say', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const scene = generate(seeded(seed));
      const first = planOf(scene, scene.record);
      if (first === undefined) continue;
      const sent = first.decisions.filter((decision) => decision.sent);
      expect(Object.fromEntries(sent.map((decision) => [decision.providerField, decision.value]))).toEqual(
        first.plan.fields,
      );
      expect(sent).toHaveLength(Object.keys(first.plan.fields).length);
      expect(Object.keys(first.plan.fields)).toEqual(expect.arrayContaining([...(first.plan.ifEmpty ?? [])]));
    }
  });
});
