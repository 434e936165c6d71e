import { isKept } from '../cache-limits';
import type { Cache } from '../hints';
import type { Guard } from './guard';
import type { RedisClient } from './redis-client';

/** Values shared by all processes. Every key has a time to live. */
export class RedisCache implements Cache {
  constructor(
    private readonly client: RedisClient,
    private readonly guard: Guard,
    private readonly prefix: string,
  ) {}

  async get(key: string): Promise<string | undefined> {
    const answer = await this.guard.ask(() => this.client.get(this.name(key)));
    return answer.ok ? (answer.value ?? undefined) : undefined;
  }

  async getMany(keys: readonly string[]): Promise<readonly (string | undefined)[] | undefined> {
    // Redis refuses the question for no keys.
    if (keys.length === 0) return [];
    const answer = await this.guard.ask(() => this.client.mget(keys.map((key) => this.name(key))));
    return answer.ok ? answer.value.map((value) => value ?? undefined) : undefined;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    if (!isKept(value, ttlMs)) return this.delete(key);
    await this.guard.ask(() => this.client.set(this.name(key), value, 'PX', Math.floor(ttlMs)));
  }

  async delete(key: string): Promise<void> {
    await this.guard.ask(() => this.client.del(this.name(key)));
  }

  private name(key: string): string {
    return `${this.prefix}cache:${key}`;
  }
}
