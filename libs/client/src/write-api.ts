import type {
  AcceptedWriteReply,
  BatchDryRunReply,
  BatchWriteReply,
  DryRunReply,
  SingleWriteReply,
  WriteRequest,
} from '@sluice/types';
import type { WriteOperations } from './generated/write';
import type { CallOptions } from './operation-shape';

type Params = WriteOperations['writeRecords']['params'];
type Given<Body, More = { readonly dryRun?: 'false' }> = Omit<Params, 'dryRun' | 'body'> &
  More & { readonly body: WriteRequest & Body };

type DryRun = { readonly dryRun: 'true' };
type Accepted = { readonly mode: 'asynchronous' };
type Batch = { readonly batch: NonNullable<WriteRequest['batch']> };
type Single = { readonly record: NonNullable<WriteRequest['record']> };
type Synchronous = { readonly mode?: 'synchronous' };

/** The reply of a write depends on what is asked: whether it is a dry run, accepted for later, a batch, or one record now. */
export interface WriteApi {
  writeRecords(params: Given<Batch, DryRun>, options?: CallOptions): Promise<BatchDryRunReply>;
  writeRecords(params: Given<Single, DryRun>, options?: CallOptions): Promise<DryRunReply>;
  writeRecords(params: Given<Accepted>, options?: CallOptions): Promise<AcceptedWriteReply>;
  writeRecords(params: Given<Batch & Synchronous>, options?: CallOptions): Promise<BatchWriteReply>;
  writeRecords(params: Given<Single & Synchronous>, options?: CallOptions): Promise<SingleWriteReply>;
  writeRecords(params: Params, options?: CallOptions): Promise<WriteOperations['writeRecords']['reply']>;
}
