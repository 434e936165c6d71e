import assert from 'node:assert/strict';
import { associationCases } from './conformance/association-cases';
import { changeFaultCases, faultCases, readFaultCases } from './conformance/fault-cases';
import {
  assertCount,
  type ConformanceCase,
  type ConnectorHarness,
  classOf,
  hasClass,
  idOf,
  newSeed,
  toTest,
} from './conformance/harness';
import { hostileCases } from './conformance/hostile-cases';
import { readCases, reconcileCases } from './conformance/read-cases';
import { batchCreateCases, batchUpdateCases } from './conformance/write-cases';

export { fixtures, type Fixture } from './conformance/fixtures';
export type {
  ConformanceCase,
  ConnectorHarness,
  Fault,
  Grant,
  LinkedObject,
  WrittenObject,
} from './conformance/harness';

/**
 * What every connector promises, capability by capability. A capability that the connector says it lacks is checked
 * to be really absent.
 */
export function connectorConformance(harness: ConnectorHarness): ConformanceCase[] {
  return [
    ...capabilityCases(harness),
    ...singleCases(harness),
    ...deleteCases(harness),
    ...batchCreateCases(harness),
    ...batchUpdateCases(harness),
    ...readCases(harness),
    ...describeCases(harness),
    ...reconcileCases(harness),
    ...hostileCases(harness),
    ...associationCases(harness),
    ...refreshCases(harness),
    ...faultCases(harness),
    ...changeFaultCases(harness),
    ...readFaultCases(harness),
    ...resendCases(harness),
  ];
}

function capabilityCases({ connector, auth, badAuth }: ConnectorHarness): ConformanceCase[] {
  const { capabilities } = connector;
  return [
    toTest('a capability and its method go together', async () => {
      assert.equal(Boolean(capabilities.batchCreate), Boolean(connector.createBatch));
      assert.equal(Boolean(capabilities.batchUpdate), Boolean(connector.updateBatch));
      assert.equal(Boolean(capabilities.batchRead), Boolean(connector.readBatch));
      assert.equal(Boolean(capabilities.search), Boolean(connector.search));
      assert.equal(capabilities.delete, Boolean(connector.delete));
      assert.ok(!capabilities.allOrNone.create || connector.createBatch);
      assert.ok(!capabilities.allOrNone.update || connector.updateBatch);
      assert.equal(capabilities.ifEmpty && !connector.readBatch, false);
    }),
    toTest('workspace: the same account each time', async () => {
      const { workspaceRef = '' } = await connector.workspace({ auth });
      assert.match(workspaceRef, /./);
      assert.equal((await connector.workspace({ auth })).workspaceRef, workspaceRef);
    }),
    toTest('workspace: refused credentials are reported as such', async () => {
      await assert.rejects(connector.workspace({ auth: badAuth }), (error) => hasClass(error, 'credentials'));
    }),
  ];
}

function refreshCases({ connector, objectName, fields, grants }: ConnectorHarness): ConformanceCase[] {
  const { refresh, create } = connector;
  if (!refresh || !create || !grants) return [];
  return [
    toTest('refresh: a token that works in place of one that ended', async () => {
      const { auth, refresh: request } = await grants.good();
      const { accessToken, expiresAt, refreshToken } = await refresh(request);
      assert.notEqual(accessToken, auth.accessToken);
      assert.ok(expiresAt === undefined || expiresAt > new Date());
      assert.notEqual(refreshToken, '');
      idOf(await create({ auth: { ...auth, accessToken }, objectName, fields: fields(newSeed()) }));
    }),
    toTest('refresh: a grant that is gone means bad credentials', async () => {
      const { refresh: request } = await grants.revoked();
      await assert.rejects(refresh(request), (error) => hasClass(error, 'credentials'));
    }),
    toTest('refresh: an app that is refused says nothing of the connection', async () => {
      const { refresh: request } = await grants.refusedApp();
      await assert.rejects(refresh(request), (error) => hasClass(error, 'rejected'));
    }),
  ];
}

function describeCases({ connector, ...harness }: ConnectorHarness): ConformanceCase[] {
  const { describe } = connector;
  if (!describe) return [];
  const { auth, badAuth, objectName, textField, describesFromFile = false } = harness;
  const asksAccount = toTest('describe: refused credentials are reported as such', async () => {
    await assert.rejects(describe({ auth: badAuth, objectName }), (error) => hasClass(error, 'credentials'));
  });
  return [
    toTest('describe: the fields of the account, each under its own name', async () => {
      const { name, fields } = await describe({ auth, objectName });
      assert.match(name, /./);
      for (const [key, { fieldName, displayName }] of Object.entries(fields)) {
        assert.equal(key, fieldName);
        assert.match(displayName, /./);
      }
      assert.equal(fields[textField]?.valueType, 'string');
      assert.notEqual(fields[textField]?.readOnly, true);
      for (const sent of Object.keys(harness.fields('any'))) assert.ok(Object.hasOwn(fields, sent), sent);
    }),
    toTest('describe: no such object', async () => {
      const asked = describe({ auth, objectName: 'butterflies' });
      await assert.rejects(asked, (error) => hasClass(error, 'rejected') || hasClass(error, 'not-found'));
    }),
    ...(describesFromFile ? [] : [asksAccount]),
  ];
}

function deleteCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, absentId, badAuth, textField } = harness;
  const { create, delete: remove, readBatch, update } = connector;
  if (!remove || !create) return [];
  const call = { auth, objectName };
  const created = async () => {
    const fields = harness.fields(newSeed());
    return { fields, recordId: idOf(await create({ ...call, fields })) };
  };
  return [
    toTest('delete: the record is gone, to counting, reading and updating', async () => {
      const { fields, recordId } = await created();
      assert.equal(idOf(await remove({ ...call, recordId })), recordId);
      await assertCount(harness, fields, 0);
      assert.deepEqual(await readBatch?.({ ...call, ids: [recordId], fields: [textField] }), readBatch && [undefined]);
      assert.equal(classOf(await update?.({ ...call, recordId, fields: { [textField]: 'x' } })), 'not-found');
    }),
    toTest('delete: of what is not there is no failure that could be tried again', async () => {
      const { recordId } = await created();
      idOf(await remove({ ...call, recordId }));
      for (const gone of [recordId, absentId]) {
        const result = await remove({ ...call, recordId: gone });
        assert.ok(result.ok || result.error.class === 'not-found', JSON.stringify(result));
      }
    }),
    toTest('delete: refused credentials delete nothing', async () => {
      const { fields, recordId } = await created();
      assert.equal(classOf(await remove({ ...call, auth: badAuth, recordId })), 'credentials');
      await assertCount(harness, fields, 1);
    }),
  ];
}

/** Creates that are sent again because nobody saw what became of the first send. */
function resendCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, fault, isResendSafe = false } = harness;
  const { create, createBatch } = connector;
  if (!isResendSafe || !create || !fault) return [];
  const call = { auth, objectName };
  const cases = [
    toTest('resend: of a create that was carried out makes no second record', async () => {
      const fields = harness.fields(newSeed());
      await fault('commit-then-reset');
      assert.equal(classOf(await create({ ...call, fields })), 'unknown');
      const again = await create({ ...call, fields, isResend: true });
      assert.ok(again.ok || again.error.class === 'conflict', JSON.stringify(again));
      await assertCount(harness, fields, 1);
    }),
    toTest('resend: of a create that was not carried out makes the record', async () => {
      const fields = harness.fields(newSeed());
      await fault('reset-before-commit');
      assert.equal(classOf(await create({ ...call, fields })), 'unknown');
      idOf(await create({ ...call, fields, isResend: true }));
      await assertCount(harness, fields, 1);
    }),
  ];
  if (!createBatch) return cases;
  return [
    ...cases,
    toTest('resend: of a batch that was carried out makes no second records', async () => {
      const all = Array.from({ length: 3 }, () => harness.fields(newSeed()));
      const records = all.map((fields) => ({ fields }));
      await fault('commit-then-reset');
      assert.deepEqual((await createBatch({ ...call, records })).map(classOf), ['unknown', 'unknown', 'unknown']);
      const again = await createBatch({ ...call, records, isResend: true });
      for (const result of again) assert.ok(result.ok || result.error.class === 'conflict', JSON.stringify(result));
      for (const fields of all) await assertCount(harness, fields, 1);
    }),
  ];
}

function singleCases(harness: ConnectorHarness): ConformanceCase[] {
  const { connector, auth, objectName, uniqueField, textField, absentId, badAuth } = harness;
  const { create, update, describe } = connector;
  const call = { auth, objectName };
  const cases: ConformanceCase[] = [];
  if (create) {
    cases.push(
      toTest('create: written once, with its id', async () => {
        const fields = harness.fields(newSeed());
        assert.match(idOf(await create({ ...call, fields })), /./);
        await assertCount(harness, fields, 1);
      }),
      toTest('create: refused credentials write nothing', async () => {
        const fields = harness.fields(newSeed());
        assert.equal(classOf(await create({ ...call, auth: badAuth, fields })), 'credentials');
        await assertCount(harness, fields, 0);
      }),
      toTest('create: cancelled before it began is certainly not applied', async () => {
        const fields = harness.fields(newSeed());
        assert.equal(classOf(await create({ ...call, fields, signal: AbortSignal.abort() })), 'unavailable');
        await assertCount(harness, fields, 0);
      }),
    );
  }
  if (create && uniqueField !== undefined) {
    cases.push(
      toTest('create: of a unique value that a record has is a conflict', async () => {
        const fields = harness.fields(newSeed());
        idOf(await create({ ...call, fields }));
        assert.equal(classOf(await create({ ...call, fields })), 'conflict');
        await assertCount(harness, fields, 1);
      }),
    );
  }
  if (create && describe) {
    cases.push(
      toTest('create: with a field that is not there is refused', async () => {
        const fields = harness.fields(newSeed());
        assert.equal(classOf(await create({ ...call, fields: { ...fields, sluice_no_such_field: 'x' } })), 'rejected');
        await assertCount(harness, fields, 0);
      }),
    );
  }
  if (create && update) {
    cases.push(
      toTest('update: changes what is sent and leaves the rest', async () => {
        const fields = harness.fields(newSeed());
        const recordId = idOf(await create({ ...call, fields }));
        const changed = { [textField]: `changed ${newSeed()}` };
        assert.equal(idOf(await update({ ...call, recordId, fields: changed })), recordId);
        await assertCount(harness, { ...fields, ...changed }, 1);
      }),
      toTest('update: no such record', async () => {
        assert.equal(classOf(await update({ ...call, recordId: absentId, fields: { [textField]: 'x' } })), 'not-found');
      }),
    );
  }
  return cases;
}
