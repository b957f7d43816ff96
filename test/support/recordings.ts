import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { isRecord, Manifest } from '../../src/core/manifest/manifest';
import { LiveObject } from '../../src/engine/cluster/cluster';

const FOLDER = join(__dirname, '..', 'recordings');

/** The servers that recordings were made of: a folder of test/recordings. */
export interface Generation {
  readonly folder: string;
  readonly rancher: string;
  readonly harvester: string;
  /** The products whose Settings had values of others, and were applied with force. */
  readonly forcedSettings: readonly ('rancher' | 'harvester')[];
}

/** The recorded servers, the oldest first. */
export const GENERATIONS: readonly Generation[] = [
  {
    folder: 'rancher-2.13.8-harvester-1.7.2',
    rancher: '2.13.8',
    harvester: '1.7.2',
    forcedSettings: [],
  },
  {
    folder: 'rancher-2.15.0-harvester-1.8.2',
    rancher: '2.15.0',
    harvester: '1.8.2',
    forcedSettings: ['rancher'],
  },
];

/**
 * The families of test/live on the last of them, recorded from the answer of the first apply on. No
 * double does the same.
 */
export const FAMILIES: Generation = {
  folder: 'rancher-2.15.0-harvester-1.8.2-families',
  rancher: '2.15.0',
  harvester: '1.8.2',
  forcedSettings: [],
};

/** An answer of a server. */
export interface RecordedAnswer {
  readonly status: number;
  readonly message: string | null;
  readonly changed?: boolean;
}

/** A state of an object. */
export interface RecordedState {
  readonly at: number;
  /** Marks the answer of a later apply. */
  readonly by?: string;
  readonly object: LiveObject;
}

/** What a running server did with one object: test/recordings/README.md. */
export interface RecordedObject {
  readonly object: string;
  readonly applied: LiveObject;
  readonly answers: readonly RecordedAnswer[];
  /** Objects that the server refused have no states. */
  readonly states: readonly RecordedState[];
  readonly again?: RecordedAnswer | null;
  readonly third?: RecordedAnswer | null;
  readonly deleted?: RecordedAnswer | null;
  readonly afterDelete?: readonly RecordedState[];
}

/** A scenario on the servers of a generation. */
export interface Recording {
  /** E.g. `harvester-settings-set`. */
  readonly name: string;
  /** `<folder>/<name>`. */
  readonly title: string;
  readonly product: 'rancher' | 'harvester';
  readonly generation: Generation;
  readonly objects: readonly RecordedObject[];
}

/** A recording by its name. */
export function recordingOf(generation: Generation, name: string): Recording {
  const { objects } = JSON.parse(
    readFileSync(join(FOLDER, generation.folder, `${name}.json`), 'utf8'),
  ) as Pick<Recording, 'objects'>;
  return {
    name,
    title: `${generation.folder}/${name}`,
    product: name.startsWith('rancher-') ? 'rancher' : 'harvester',
    generation,
    objects,
  };
}

/** All recordings of all generations, which the doubles replay. */
export function allRecordings(): Recording[] {
  return GENERATIONS.flatMap(recordingsOf);
}

/** What no double replays, too. */
export function withFamilies(): Recording[] {
  return [...allRecordings(), ...recordingsOf(FAMILIES)];
}

function recordingsOf(generation: Generation): Recording[] {
  return readdirSync(join(FOLDER, generation.folder))
    .sort()
    .map((file) => recordingOf(generation, file.slice(0, -'.json'.length)));
}

/** What recordings have in place of values that a server makes. */
const MADE_BY_THE_SERVER = ['(made by the server)', '<made by the server>'];

/** A recorded object, with base64 where the recording leaves the value of a Secret out. */
export function withValues<T extends Pick<Manifest, 'kind'>>(object: T): T {
  const { data } = object as { readonly data?: unknown };
  if (object.kind !== 'Secret' || !isRecord(data)) {
    return object;
  }
  const values = Object.entries(data).map(([key, value]) => [
    key,
    MADE_BY_THE_SERVER.includes(String(value))
      ? Buffer.from(String(value)).toString('base64')
      : value,
  ]);
  return { ...object, data: Object.fromEntries(values) };
}
