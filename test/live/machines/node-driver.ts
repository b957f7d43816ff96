import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { credentialEnv, driverArgs, expandedArg } from './driver-args';
import { Fields } from '../../../src/core/manifest/manifest';
import { tempFolder } from '../../support/temp';

/** The variable of the environment that names the folder with `rancher-machine` and `docker-machine-driver-harvester`. */
export const DRIVER_VARIABLE = 'LIVE_MACHINE_DRIVER';

/** A machine may wait for its address twice, for ten minutes each; a double answers at once. */
const TIMEOUT_MS = 120_000;

const SCRIPT_BLOCKS = 100;

/** As long as Rancher's script when it is compressed: longer than what the driver writes into the VirtualMachine itself. */
const INSTALL_SCRIPT = [
  '#!/usr/bin/env sh',
  ...Array.from({ length: SCRIPT_BLOCKS }, (_, block) =>
    createHash('sha256').update(String(block)).digest('base64'),
  ),
].join('\n# ');

/** What a call of the driver came to. */
export interface DriverAnswer {
  readonly isDone: boolean;
  /** Whether it was stopped since it did not end: then it decided nothing. */
  readonly isStopped: boolean;
  /** What it printed, without its debug lines. */
  readonly output: string;
}

/** Rancher's node driver, called as the job of Rancher calls it. */
export class NodeDriver {
  /** Where it keeps the state of each machine, as Rancher keeps it in a Secret. */
  private readonly folders = new Map<string, string>();

  /** @param kubeconfig the text of a kubeconfig for the Harvester */
  public constructor(
    private readonly programs: string,
    private readonly kubeconfig: string,
  ) {}

  /** Creates a machine. @param cluster the name of the guest cluster */
  public async create(config: Fields, cluster: string, machine: string): Promise<DriverAnswer> {
    const env = credentialEnv(this.kubeconfig);
    const args = driverArgs(config, cluster).map((arg) => expandedArg(arg, env));
    const folder = tempFolder();
    this.folders.set(machine, folder);
    const script = join(folder, 'script');
    writeFileSync(script, INSTALL_SCRIPT);
    const create = ['create', '--driver=harvester', `--custom-install-script=${script}`];
    return this.run([...create, ...args, machine], folder, env);
  }

  /** Removes a machine that it created, with the arguments of Rancher. */
  public async remove(machine: string): Promise<DriverAnswer> {
    const folder = this.folders.get(machine)!;
    const args = ['rm', '-y', '--update-config', machine];
    return this.run(args, folder, credentialEnv(this.kubeconfig));
  }

  private async run(
    args: readonly string[],
    folder: string,
    env: { readonly [name: string]: string },
  ): Promise<DriverAnswer> {
    mkdirSync(join(folder, 'tmp'), { recursive: true });
    const child = spawn(
      join(this.programs, 'rancher-machine'),
      ['--storage-path', folder, ...args],
      {
        env: {
          ...env,
          PATH: [this.programs, process.env.PATH].join(delimiter),
          HOME: folder,
          TMPDIR: join(folder, 'tmp'),
        },
        timeout: TIMEOUT_MS,
      },
    );
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const ended = await new Promise<Omit<DriverAnswer, 'output'>>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ isDone: code === 0, isStopped: code === null }));
    });
    return { ...ended, output: output.trim() };
  }
}
