import { Manifest } from '../../../src/core/manifest/manifest';

/** An object as a server has it; looked into at will. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Live = Manifest & { [field: string]: any };
