import * as fs from 'node:fs';
import * as path from 'node:path';
import { ObjectRef } from '../client';
import { Live } from '../doubles/live';

const FOLDER = path.resolve(__dirname, '..', '..', 'recordings');

export interface RecordedState {
  readonly at: number;
  /** Marks the answer of a later apply. */
  readonly by?: string;
  readonly object: Live;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly message: string | null;
  readonly changed?: boolean;
}

/** What a running server did with one object: test/recordings/README.md. */
export interface RecordedObject {
  readonly object: string;
  readonly applied: ObjectRef;
  readonly answers: readonly RecordedAnswer[];
  readonly states: readonly RecordedState[];
  readonly again?: RecordedAnswer | null;
  readonly third?: RecordedAnswer | null;
  readonly deleted?: RecordedAnswer | null;
  readonly afterDelete?: readonly RecordedState[];
}

export interface Recording {
  readonly name: string;
  readonly objects: readonly RecordedObject[];
}

export function readRecording(name: string): Recording {
  return { ...JSON.parse(fs.readFileSync(path.join(FOLDER, `${name}.json`), 'utf8')) as Recording, name };
}

export function recordingsOf(product: 'rancher' | 'harvester'): string[] {
  return fs.readdirSync(FOLDER).filter((file) => file.startsWith(`${product}-`) && file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
}

/**
 * Objects that the recorder looked at too early: their last recorded state is not the last one. In `three-tenants` it looked once between the first
 * and the second apply, and again only at what the second apply changed.
 */
export const UNFINISHED: readonly string[] = ['management.cattle.io/v3/ProjectRoleTemplateBinding/c-m-harvdc01-web/prtb-kr5y643esd'];
