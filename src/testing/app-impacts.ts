import { existsSync, mkdtempSync, readdirSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { withKnownSecrets } from './known-secrets';
import { HarvesterApp } from '../core/app/harvester-app';
import { ASSEMBLY_FILE } from '../core/output/assembly';
import { writeOutput } from '../core/output/output';
import { ENCRYPTED } from '../core/rule/program-rules';
import { JudgedObject } from '../core/rule/rule';
import { Redactor } from '../core/secret/redactor';
import { refuseUnread } from '../engine/files/file-findings';
import { targetsOf } from '../engine/files/judged-targets';
import { Input, readable, readInput } from '../engine/read/read-input';
import { editImpacts } from '../report/impact/edit-impacts';
import { Impact } from '../report/impact/impact';

/** What an edit does, and what hides the secrets in a report of it. */
interface AppImpacts {
  readonly impacts: readonly Impact[];
  readonly scrub: (text: string) => string;
}

/**
 * What an edit of a program does to machines, data, and tenants, as the command `impact` reports
 * it.
 *
 * @param app the program, or the folder of its output
 * @param before folder of the previous output
 */
export function appImpacts(app: HarvesterApp | string, before: string): AppImpacts {
  if (!existsSync(join(before, ASSEMBLY_FILE))) {
    throw new Error(
      `${before}: must be the folder of a previous output, and has no ${ASSEMBLY_FILE}. Fix: synthesize the program once, and commit the folder`,
    );
  }
  const now = readInput([typeof app === 'string' ? app : written(app)], {});
  const read = readInput([before], {}, targetsOf(now.assemblies, {}));
  const previous = withoutKeys(read, now);
  refuseUnread([...now.findings, ...previous.findings], ENCRYPTED);
  const impacts = editImpacts(previous, {
    ...now,
    objects: withKnownSecrets(now.objects, previous.objects),
  });
  const redactor = Redactor.of(
    [...previous.objects, ...now.objects].map(({ manifest }) => manifest),
  );
  return { impacts, scrub: (text) => redactor.scrub(text) };
}

function written(app: HarvesterApp): string {
  const folder = testFolder();
  writeOutput(folder, app._plainFiles());
  return folder;
}

/**
 * An input whose encrypted Secrets are as they are now: no machine is replaced for one. The
 * encrypted values of other objects are unknown. Throws if their names are encrypted, too.
 */
function withoutKeys(input: Input, now: Input): Input {
  const isSecret = ({ manifest }: JudgedObject): boolean =>
    manifest.kind === 'Secret' && manifest.apiVersion === 'v1';
  const label = ({ target, manifest }: JudgedObject): string =>
    `${target.name} ${manifest.metadata.namespace} ${manifest.metadata.name}`;
  const hidden = new Set(input.encrypted.filter(isSecret).map(label));
  return readable({
    ...input,
    objects: [
      ...input.objects,
      ...now.objects.filter((object) => isSecret(object) && hidden.has(label(object))),
    ],
    encrypted: input.encrypted.filter((object) => !isSecret(object)),
  });
}

const PREFIX = 'cdk8s-harvester-test-';

const made: string[] = [];

/**
 * A new folder that is removed when the process ends. Where nothing runs at that time, as in jest,
 * a later process removes it.
 */
export function testFolder(): string {
  if (made.length === 0) {
    removeLeft();
    process.on('exit', () => {
      made.forEach(remove);
    });
  }
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  made.push(folder);
  return folder;
}

/** Removes the folders of processes that have ended. */
function removeLeft(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    if (!isRunning(Number(name.slice(PREFIX.length).split('-')[0]))) {
      remove(join(tmpdir(), name));
    }
  }
}

/**
 * Removes a folder. This also runs while the process ends, so it loads no module: in a process of
 * jsii, the files of this package are deleted before.
 */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // another user's remains
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
