import { createHash } from 'crypto';
import { createReadStream } from 'fs';
import { stat } from 'fs/promises';
import { basename, resolve } from 'path';
import { conditionOf, conditionText } from '../../../core/kind/ready/readiness';
import { groupOf, Manifest, objectLabel, valueAt } from '../../../core/manifest/manifest';
import { GROUPS } from '../../../core/manifest/names';
import { compare } from '../../../core/text/values';
import {
  givenUp,
  IMAGE_USERS,
  IMPORT_HINT,
  uploadFileOf,
  usesImage,
} from '../../../harvester/image/vm-image.kind';
import { Cluster, LiveObject, ObjectRef, refOf } from '../../cluster/cluster';
import { missingMark } from '../../fields/apply-set';
import { ApiError } from '../../transport/api';
import { isAbort, until } from '../../transport/pace';
import { ObjectPlace, RunContext } from '../context/run-context';

/** How long Harvester may take to prepare an image for its file. */
const PREPARE_MS = 10 * 60_000;

/** Progress is reported by this share of the file, in percent. */
const STEP = 10;

const GIB = 1024 ** 3;

/**
 * What Harvester answers before it can take the file.
 * @see harvester/harvester:pkg/image/backingimage/upload.go waitForBackingImageDataSourceReady
 */
const NOT_YET = /timeout waiting for backing image data source|already exists/;

/**
 * The field of the form, by the backend.
 * @see harvester/harvester-ui-extension:pkg/harvester/models/harvesterhci.io.virtualmachineimage.js
 * uploadImage
 */
const FORM_FIELD = { cdi: 'file', backingimage: 'chunk' } as const;

/**
 * Uploads the file of an image that is not imported yet. Only a part of the file is in memory at a
 * time. A connection that breaks leaves an image that Harvester has given up: a later run refuses
 * it, or recreates it where that is asked for.
 *
 * @see harvester/harvester:pkg/api/image/formatter.go uploadImage
 */
export async function uploadImage(
  image: Manifest,
  { cluster, target }: ObjectPlace,
  id: string,
  run: RunContext,
): Promise<void> {
  const given = uploadFileOf(image);
  if (given === undefined) {
    return;
  }
  const ref = refOf(image);
  const limitMs = run.options.timeoutMs ?? PREPARE_MS;
  const tell = (message: string): void => run.emit(id, target.name, 'waiting', message);
  const wait = new Wait((why, hint) =>
    run.emit(id, target.name, 'waiting', why, { hint, limitSeconds: Math.round(limitMs / 1000) }),
  );
  if (!(await needsFile(ref, { cluster, limitMs, wait, run }))) {
    return;
  }
  const file = resolve(given);
  const size = await sizeOf(file);
  const checksum = valueAt(image, 'spec', 'checksum');
  if (typeof checksum === 'string' && checksum !== '') {
    tell('checks the checksum of its file');
    await verify(file, checksum);
  }
  const form = formOf(
    file,
    size,
    valueAt(image, 'spec', 'backend') === 'cdi' ? 'cdi' : 'backingimage',
    (percent) => tell(`uploads ${basename(file)}: ${percent} % of ${(size / GIB).toFixed(1)} GiB`),
  );
  const about = { cluster, id, target: target.name, run };
  await until(
    async () => sendFile(ref, form, size, wait, about),
    limitMs,
    async () =>
      new Error(
        `Harvester did not take its file: ${wait.why}. ${IMPORT_HINT}; then run apply again`,
      ),
    run.pacing,
  );
}

/** Sends the file of an image once. Undefined if Harvester cannot take it yet. */
async function sendFile(
  ref: ObjectRef,
  form: Form,
  size: number,
  wait: Wait,
  about: Interruptible,
): Promise<true | undefined> {
  const { cluster, run } = about;
  const image = [ref.namespace ?? '', ref.name].map(encodeURIComponent).join('/');
  try {
    await cluster.upload(
      `/v1/harvester/harvesterhci.io.virtualmachineimages/${image}`,
      { ...form, query: { action: 'upload', size: String(size) } },
      { signal: run.stop },
    );
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    await dropInterrupted(error, ref, about);
    if (NOT_YET.test(error.message)) {
      wait.for(`Harvester cannot take its file yet: ${error.message}`, IMPORT_HINT);
      return undefined;
    }
    if (error.status !== 404) {
      throw error;
    }
    throw error.saying(
      `${error.message}: this URL does not serve Harvester's API. Fix: use the kubeconfig that Harvester's UI downloads`,
    );
  }
}

/** An upload that an interrupt may end. */
interface Interruptible {
  readonly cluster: Cluster;
  readonly id: string;
  readonly target: string;
  readonly run: RunContext;
}

/**
 * Deletes an image whose upload this run was interrupted in, if this run created it: Harvester
 * would give up a part of a file, and the next run would have to be advised to recreate the image.
 * Nothing uses an image that was never complete.
 */
async function dropInterrupted(
  error: ApiError,
  ref: ObjectRef,
  { cluster, id, target, run }: Interruptible,
): Promise<void> {
  if (!isAbort(error) || run.did.get(id) !== 'created') {
    return;
  }
  const live = await cluster.read(ref, { signal: run.kill });
  if (!live || conditionOf(live, 'Imported')?.status === 'True') {
    return;
  }
  await cluster.delete(ref, live.metadata.uid, { signal: run.kill });
  run.warn(
    `${objectLabel(live)} was deleted, since its upload was interrupted: the next run creates it again and uploads its file`,
    target,
    id,
  );
}

/** What is waited for: it is reported when it changes. */
class Wait {
  private last = 'for an unknown reason';

  public constructor(private readonly report: (why: string, hint: string) => void) {}

  public get why(): string {
    return this.last;
  }

  public for(why: string, hint: string): void {
    if (why !== this.last) {
      this.last = why;
      this.report(why, hint);
    }
  }
}

interface Preparing {
  readonly cluster: Cluster;
  readonly limitMs: number;
  readonly wait: Wait;
  readonly run: RunContext;
}

/**
 * Waits until Harvester can take the file of an image; false if it has the file, or is getting it.
 */
async function needsFile(
  ref: ObjectRef,
  { cluster, limitMs, wait, run }: Preparing,
): Promise<boolean> {
  return until(
    async () => {
      const live = await cluster.read(ref, { signal: run.stop });
      if (live && givenUp(live)) {
        throw new Error('its upload failed. Fix: run apply with --recreate-failed-images');
      }
      // another upload of the file is in progress
      if (
        live &&
        (conditionOf(live, 'Imported')?.status === 'True' ||
          Number(valueAt(live, 'status', 'progress') ?? 0) > 0)
      ) {
        return false;
      }
      const initialized = live && conditionOf(live, 'Initialized');
      if (initialized?.status === 'True') {
        return true;
      }
      const state = initialized
        ? conditionText(initialized)
        : 'it has no condition Initialized yet';
      wait.for(`Harvester prepares it for the upload of its file: ${state}`, IMPORT_HINT);
      return undefined;
    },
    limitMs,
    async () =>
      new Error(`Harvester did not prepare it for an upload: ${wait.why}. ${IMPORT_HINT}`),
    run.pacing,
  );
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `cannot read its file ${file} (${error.code ?? error.message}). Fix: run apply where the file is, or correct file`,
    );
  });
  if (!found.isFile() || found.size === 0) {
    throw new Error(`its file ${file} must be a file that is not empty. Fix: correct file`);
  }
  return found.size;
}

async function verify(file: string, checksum: string): Promise<void> {
  const hash = createHash('sha512');
  for await (const piece of createReadStream(file)) {
    hash.update(piece as Buffer);
  }
  const found = hash.digest('hex');
  if (found !== checksum.toLowerCase()) {
    throw new Error(
      `its file ${file} has the SHA-512 sum ${found}, not the checksum of the program. Fix: correct file or checksum`,
    );
  }
}

interface Form {
  readonly length: number;
  readonly contentType: string;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** A form with one file, as browsers send it. */
function formOf(
  file: string,
  size: number,
  backend: keyof typeof FORM_FIELD,
  onProgress: (percent: number) => void,
): Form {
  const boundary = 'cdk8s-harvester-7f3c1a9e5b2d4f60';
  const name = basename(file).replace(/["\\\r\n]/g, '_');
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${FORM_FIELD[backend]}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    length: head.length + size + tail.length,
    contentType: `multipart/form-data; boundary=${boundary}`,
    async *open() {
      let [sent, shown] = [0, -1];
      yield head;
      for await (const piece of createReadStream(file)) {
        yield piece as Buffer;
        sent += (piece as Buffer).length;
        const percent = Math.floor((sent * 100) / size / STEP) * STEP;
        if (percent > shown) {
          shown = percent;
          onProgress(percent);
        }
      }
      // a file that grew or shrank meanwhile is not the one that was checked
      if (sent !== size) {
        throw new Error(
          `its file ${file} changed while it was uploaded. Fix: upload a file that nothing writes`,
        );
      }
      yield tail;
    },
  };
}

/** The number of users that a message names. */
const MAX_NAMES = 5;

/**
 * Deletes an image whose download or upload Harvester has given up, so that the run creates it
 * again. Throws `blocked` while it is being deleted, and an error if something uses it, or another
 * program made it.
 */
export async function deleteFailedImage(
  live: LiveObject,
  { cluster, target }: ObjectPlace,
  id: string,
  run: RunContext,
): Promise<void> {
  const { apiVersion, kind } = live;
  const { uid, deletionTimestamp } = live.metadata;
  const what =
    groupOf(apiVersion) === GROUPS.HARVESTER && kind === 'VirtualMachineImage'
      ? givenUp(live)
      : undefined;
  if (what === undefined || deletionTimestamp !== undefined) {
    return;
  }
  const refused = (why: string): Error =>
    new Error(`its ${what} failed, and it cannot be recreated: ${why}`);
  const mark = missingMark(live, run.fields.fieldManager);
  if (mark !== undefined) {
    throw refused(`it ${mark}. Fix: delete it yourself if nothing uses it, then run apply again`);
  }
  const users = await usersOf(live, target.name, run);
  if (users.length > 0) {
    const more = users.length > MAX_NAMES ? `, and ${users.length - MAX_NAMES} more` : '';
    throw refused(
      `it is used by ${users.slice(0, MAX_NAMES).join(', ')}${more}. Fix: delete these first, or declare an image with another name and switch them to it`,
    );
  }
  run.warn(
    `deletes ${objectLabel(live)}, whose ${what} failed, and creates it again`,
    target.name,
    id,
  );
  await cluster.delete(refOf(live), uid, { signal: run.kill });
  throw new ApiError('blocked', `the image whose ${what} failed is being deleted`);
}

/**
 * What uses an image: on its Harvester, and machine configurations on every Rancher of the program.
 */
async function usersOf(
  image: LiveObject,
  harvester: string,
  { open, stop: signal }: RunContext,
): Promise<string[]> {
  const lists = open.flatMap(({ target, cluster }) => {
    const { name, kind } = target;
    const others = kind === 'rancher' ? IMAGE_USERS.rancher : [];
    const kinds = name === harvester ? IMAGE_USERS.harvester : others;
    return kinds.map(async ([apiVersion, of]) => {
      const objects = await cluster.list(apiVersion, of, { signal });
      return objects
        .filter((object) => object.metadata.uid !== image.metadata.uid && usesImage(object, image))
        .map((object) => `${objectLabel({ ...object, apiVersion, kind: of })} on ${name}`);
    });
  });
  return (await Promise.all(lists)).flat().sort(compare);
}
