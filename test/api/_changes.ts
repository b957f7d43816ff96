import { Assembly, PublicApi } from './_api';

interface Change {
  readonly name: string;
  readonly message: string;
  /** Whether it is a prop that programs must set now. */
  readonly isNew?: boolean;
}

interface Frozen {
  readonly freeze: (api: PublicApi) => string;
  readonly thaw: (text: string, assembly: Assembly) => PublicApi;
}

interface Changes {
  readonly breakingChanges: (frozen: PublicApi, current: PublicApi) => Promise<readonly Change[]>;
  readonly movedTypes: (frozen: PublicApi, current: PublicApi) => readonly Change[];
  readonly withNewNames: (
    frozen: PublicApi,
    current: PublicApi,
    renamed: ReadonlyMap<string, string>,
  ) => PublicApi;
  readonly unnamed: (changes: readonly Change[], changelog: string) => readonly Change[];
}

export const { freeze, thaw } = jest.requireActual<Frozen>('../../projenrc/api/frozen.js');
export const { breakingChanges, movedTypes, unnamed, withNewNames } = jest.requireActual<Changes>(
  '../../projenrc/api/changes.js',
);
