import { readFileSync } from 'fs';
import { join } from 'path';
import { Manifest } from '../../src/core/manifest/manifest';

/** What Rancher's node driver made of HarvesterConfigs: test/recordings/README.md. */
export const MACHINE_RECORDINGS = join(__dirname, '..', 'recordings', 'node-driver-1.0.6');

/** A VirtualMachine without what differs at every call; the claims of its annotation are parsed. */
export interface RecordedVm extends Manifest {
  readonly claims: readonly Manifest[];
}

/** What the driver made of one HarvesterConfig. */
export interface RecordedMachine {
  readonly config: Manifest;
  /** The guest cluster, and the name of the machine. */
  readonly cluster: string;
  readonly machine: string;
  readonly virtualMachine: RecordedVm;
  /** The cloud-init of the machine, parsed. */
  readonly userData: { readonly [key: string]: unknown };
  readonly networkData?: string;
}

/** The recorded machines, by the title of their HarvesterConfig. */
export function recordedMachines(): Readonly<Record<string, RecordedMachine>> {
  const text = readFileSync(join(MACHINE_RECORDINGS, 'machines.json'), 'utf8');
  return JSON.parse(text) as Record<string, RecordedMachine>;
}

/** What the driver answered to a HarvesterConfig. */
export interface RecordedAnswer {
  readonly isMade: boolean;
  /** Why it made no machine. */
  readonly says?: string;
}

/** The recorded answers, by the title of the change of a HarvesterConfig. */
export function recordedAnswers(): Readonly<Record<string, RecordedAnswer>> {
  const text = readFileSync(join(MACHINE_RECORDINGS, 'answers.json'), 'utf8');
  return JSON.parse(text) as Record<string, RecordedAnswer>;
}
