import { createSecretKey, randomBytes } from 'node:crypto';
import { CredentialMemory, sealValue } from './live-credentials';

const key = createSecretKey(randomBytes(32));
const keyring = { currentId: 'k1', key: (id: string) => (id === 'k1' ? key : undefined) };
const connection = { projectId: 'p1', connectionId: 'c1', groupRef: 'g1' };
const stored = { provider: 'hubspot', status: 'working' as const, isExpiring: false };
const sealed = (accessToken: string, connectionId = 'c1') =>
  sealValue(keyring, { noun: 'connection', id: connectionId }, { accessToken }).text;

describe('opened credentials in memory', () => {
  it('are offered until the connection is forgotten, and only to its project', () => {
    const memory = new CredentialMemory(keyring);
    expect(memory.find(connection)).toBeUndefined();
    const live = memory.confirm(connection, { ...stored, tokenVersion: 1, sealed: sealed('a') }, undefined);
    expect(live).toMatchObject({ connectionId: 'c1', tokenVersion: 1, credentials: { accessToken: 'a' } });
    expect(memory.find(connection)).toMatchObject({ tokenVersion: 1, credentials: { accessToken: 'a' } });
    expect(memory.find({ ...connection, projectId: 'p2' })).toBeUndefined();
    memory.forget(connection);
    expect(memory.find(connection)).toBeUndefined();
  });

  it('are used as they are when the statement confirms their version, with what else it read', () => {
    const memory = new CredentialMemory(keyring);
    memory.confirm(connection, { ...stored, tokenVersion: 1, sealed: sealed('a') }, undefined);
    const known = memory.find(connection);
    const live = memory.confirm(connection, { ...stored, tokenVersion: 1, workspaceRef: 'moved' }, known);
    expect(live).toMatchObject({ credentials: { accessToken: 'a' }, workspaceRef: 'moved' });
  });

  // Of two writes at once the later reply may be of the earlier statement.
  it('keep the newest version, and give each caller that of its own statement', () => {
    const memory = new CredentialMemory(keyring);
    memory.confirm(connection, { ...stored, tokenVersion: 2, sealed: sealed('new') }, undefined);
    const older = memory.confirm(connection, { ...stored, tokenVersion: 1, sealed: sealed('old') }, undefined);
    expect(older.credentials).toEqual({ accessToken: 'old' });
    expect(memory.find(connection)?.credentials).toEqual({ accessToken: 'new' });
  });

  it('are not made up: a confirmation of what the caller never held is a defect', () => {
    const memory = new CredentialMemory(keyring);
    expect(() => memory.confirm(connection, { ...stored, tokenVersion: 1 }, undefined)).toThrow(
      expect.objectContaining({ code: 'service.defect' }),
    );
  });

  it('are bounded: the connection that was used longest ago is out first', () => {
    const memory = new CredentialMemory(keyring);
    memory.confirm(connection, { ...stored, tokenVersion: 1, sealed: sealed('a') }, undefined);
    const known = memory.find(connection);
    const others = Array.from({ length: 10_000 }, (_, at) => ({
      ...connection,
      projectId: 'p2',
      connectionId: `c${at}`,
    }));
    for (const other of others) memory.confirm(other, { ...stored, tokenVersion: 1 }, known);
    expect(memory.find(connection)).toBeUndefined();
    expect(others.every((other) => memory.find(other) !== undefined)).toBe(true);
  });

  it('are gone a minute after they were last confirmed', () => {
    jest.useFakeTimers();
    try {
      let nowMs = 1;
      const pass = (ms: number): void => {
        nowMs += ms;
        jest.advanceTimersByTime(ms);
      };
      const memory = new CredentialMemory(keyring, () => nowMs);
      const confirm = () => memory.confirm(connection, { ...stored, tokenVersion: 1, sealed: sealed('a') }, undefined);
      confirm();
      pass(50_000);
      confirm();
      pass(50_000);
      expect(memory.find(connection)).toBeDefined();
      pass(11_000);
      expect(memory.find(connection)).toBeUndefined();
      // Nor is anything left that looks for it.
      pass(20_000);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
