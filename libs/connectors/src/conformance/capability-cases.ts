import assert from 'node:assert/strict';
import { hasClass, toTest } from './expectations';
import type { ConformanceCase, ConnectorHarness } from './harness';

export function capabilityCases({ connector, auth, badAuth }: ConnectorHarness): ConformanceCase[] {
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
      const { workspaceRef } = await connector.workspace({ auth });
      assert.match(workspaceRef, /./);
      assert.equal((await connector.workspace({ auth })).workspaceRef, workspaceRef);
    }),
    toTest('workspace: refused credentials are told as such', async () => {
      await assert.rejects(connector.workspace({ auth: badAuth }), (error) => hasClass(error, 'credentials'));
    }),
  ];
}
