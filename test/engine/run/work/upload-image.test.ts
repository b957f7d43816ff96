import { createHash } from 'crypto';
import { writeFileSync } from 'fs';
import { join } from 'path';
import { ApiError } from '../../../../src/engine/transport/api';
import { FakeCluster } from '../../../support/fake-cluster';
import { tempFolder } from '../../../support/temp';
import { SmallProgram } from '../../graph/_assemblies';
import { Trial } from '../_running';

const HARVESTER = 'harvesterhci.io/v1beta1';
const ID = 'dc1/harvesterhci.io/VirtualMachineImage/images/ubuntu';
const PATH = '/v1/harvester/harvesterhci.io.virtualmachineimages/images/ubuntu';
const CONTENT = Buffer.alloc(300_000, 'image ');

const folder = tempFolder();
const FILE = join(folder, 'ubuntu.qcow2');
writeFileSync(FILE, CONTENT);

const PREPARED = [
  { type: 'Initialized', status: 'True' },
  { type: 'Imported', status: 'Unknown' },
];
const FAILED = [
  { type: 'Initialized', status: 'True' },
  { type: 'Imported', status: 'False', reason: 'UploadFailed', message: 'unexpected EOF' },
];

/**
 * A program with an image of a file, on a Harvester that prepares it at once, and imports it after
 * the upload.
 */
function platform(
  spec: object = {},
  file: string | null = FILE,
): { readonly trial: Trial; readonly dc1: FakeCluster } {
  const small = new SmallProgram().target('dc1', 'harvester');
  small.object('dc1', HARVESTER, 'VirtualMachineImage', 'images/ubuntu', {
    metadata: {
      name: 'ubuntu',
      namespace: 'images',
      ...(file === null ? {} : { annotations: { 'cdk8s-harvester/upload-file': file } }),
    },
    spec: { displayName: 'ubuntu', sourceType: 'upload', ...spec },
  });
  const trial = new Trial(small);
  const dc1 = trial.clusters.dc1!;
  dc1.reactions.push((object, cluster) => {
    if (object.kind === 'VirtualMachineImage' && !object.status) {
      cluster.change(object, (image) => {
        image.status = { conditions: PREPARED };
      });
    }
  });
  dc1.before = async ({ verb }) => {
    if (verb === 'upload') {
      change(dc1, { conditions: [...PREPARED.slice(0, 1), { type: 'Imported', status: 'True' }] });
    }
  };
  return { trial, dc1 };
}

const change = (dc1: FakeCluster, status: object): void => {
  dc1.change(
    { apiVersion: HARVESTER, kind: 'VirtualMachineImage', namespace: 'images', name: 'ubuntu' },
    (image) => {
      image.status = status;
    },
  );
};
const uploads = (dc1: FakeCluster): any[] =>
  dc1.calls.filter(({ verb }) => verb === 'upload').map(({ what, body }) => ({ what, body }));

test.each([
  ['backingimage', 'chunk'],
  ['cdi', 'file'],
])(
  'uploads the file of a new image of the backend %s as the field %s of a form, once',
  async (backend, field) => {
    const { trial, dc1 } = platform({ backend });
    expect((await trial.apply({ wait: true })).failed).toEqual([]);
    const [{ what, body }, ...others] = uploads(dc1);
    expect(others).toEqual([]);
    expect(what).toBe(PATH);
    expect(body.query).toEqual({ action: 'upload', size: String(CONTENT.length) });
    expect(body.length).toBe(body.sent.length);
    const boundary = /boundary=(\S+)$/.exec(body.contentType)![1];
    const text = body.sent.toString('latin1');
    expect(
      text.startsWith(
        `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="ubuntu.qcow2"\r\n`,
      ),
    ).toBe(true);
    expect(body.sent.includes(CONTENT)).toBe(true);
    expect(text.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true);
    trial.forget();
    expect((await trial.apply({ wait: true })).failed).toEqual([]);
    expect(uploads(dc1)).toEqual([]);
  },
);

test('uploads the file of an image that an earlier run created', async () => {
  const { trial, dc1 } = platform();
  dc1.fault = ({ verb }) =>
    verb === 'upload' ? new ApiError('invalid', 'HTTP 403', 403) : undefined;
  expect((await trial.apply()).failed).toMatchObject([{ id: ID }]);
  change(dc1, { conditions: PREPARED });
  dc1.fault = undefined;
  trial.forget();
  expect((await trial.apply({ wait: true })).failed).toEqual([]);
  expect(uploads(dc1)).toHaveLength(1);
});

test('tries again while Harvester prepares the volume', async () => {
  const { trial, dc1 } = platform();
  let tries = 0;
  dc1.fault = ({ verb }) =>
    verb === 'upload' && ++tries < 3
      ? new ApiError('transient', 'timeout waiting for backing image data source to be ready', 500)
      : undefined;
  expect((await trial.apply({ wait: true })).failed).toEqual([]);
  expect(tries).toBe(3);
});

test('leaves an upload alone that another client began', async () => {
  const { trial, dc1 } = platform();
  dc1.reactions.unshift((object, cluster) => {
    if (object.kind === 'VirtualMachineImage' && !object.status) {
      cluster.change(object, (image) => {
        image.status = { conditions: PREPARED, progress: 40 };
      });
    }
  });
  expect((await trial.apply()).failed).toEqual([]);
  expect(uploads(dc1)).toEqual([]);
});

test('checks the checksum first, and uploads nothing if it differs', async () => {
  const sum = createHash('sha512').update(CONTENT).digest('hex');
  const right = platform({ checksum: sum.toUpperCase() });
  expect((await right.trial.apply({ wait: true })).failed).toEqual([]);
  const wrong = platform({ checksum: 'a'.repeat(128) });
  expect((await wrong.trial.apply()).failed).toMatchObject([
    {
      message: expect.stringContaining(
        `has the SHA-512 sum ${sum}, not the checksum of the program`,
      ),
    },
  ]);
  expect(uploads(wrong.dc1)).toEqual([]);
});

test.each([
  [join(folder, 'missing.img'), `cannot read its file ${join(folder, 'missing.img')} (ENOENT)`],
  [folder, 'must be a file that is not empty'],
])('refuses the file %s', async (file, message) => {
  const { trial, dc1 } = platform({}, file);
  expect((await trial.apply()).failed).toMatchObject([
    { message: expect.stringContaining(message) },
  ]);
  expect(uploads(dc1)).toEqual([]);
});

test('names the kubeconfig where the API of Harvester is not served', async () => {
  const { trial, dc1 } = platform();
  dc1.fault = ({ verb }) =>
    verb === 'upload' ? new ApiError('not-found', 'not found', 404) : undefined;
  expect((await trial.apply()).failed).toMatchObject([
    { message: expect.stringContaining("Fix: use the kubeconfig that Harvester's UI downloads") },
  ]);
});

describe('an interrupted upload', () => {
  const interrupted = async () => {
    const { trial, dc1 } = platform();
    dc1.fault = ({ verb }) =>
      verb === 'upload' ? new ApiError('transient', 'ECONNRESET') : undefined;
    expect((await trial.apply()).failed).toMatchObject([{ id: ID }]);
    dc1.fault = undefined;
    change(dc1, { conditions: FAILED });
    trial.forget();
    return { trial, dc1 };
  };

  test('is not repeated: Harvester has given the image up', async () => {
    const { trial, dc1 } = await interrupted();
    expect((await trial.apply()).failed).toMatchObject([
      {
        message: expect.stringContaining(
          'its upload failed. Fix: run apply with --recreate-failed-images',
        ),
      },
    ]);
    expect(uploads(dc1)).toEqual([]);
  });

  test('is repeated for a new image on request', async () => {
    const { trial, dc1 } = await interrupted();
    expect((await trial.apply({ wait: true, recreateFailedImages: true })).failed).toEqual([]);
    expect(trial.told).toContain(
      'deletes VirtualMachineImage images/ubuntu, whose upload failed, and creates it again',
    );
    expect(uploads(dc1)).toHaveLength(1);
  });
});

describe('an upload that is interrupted by a signal', () => {
  /** Ends the run while the file is sent. */
  function interrupting(dc1: FakeCluster): AbortSignal {
    const ended = new AbortController();
    // the file does not arrive
    dc1.before = undefined;
    dc1.fault = ({ verb }) => {
      if (verb !== 'upload') {
        return undefined;
      }
      ended.abort(new Error('interrupted'));
      return new ApiError('aborted', 'aborted');
    };
    return ended.signal;
  }

  test('leaves no image of this run, and the next run uploads the file', async () => {
    const { trial, dc1 } = platform();
    const { before } = dc1;
    const first = await trial.apply({ signal: interrupting(dc1) });
    expect(first).toMatchObject({ interrupted: true, failed: [], pending: [ID] });
    expect(dc1.has(HARVESTER, 'VirtualMachineImage', 'ubuntu', 'images')).toBe(false);
    expect(trial.told).toContain('was deleted, since its upload was interrupted');
    dc1.fault = undefined;
    dc1.before = before;
    trial.forget();
    expect((await trial.apply({ wait: true })).failed).toEqual([]);
    expect(uploads(dc1)).toHaveLength(1);
  });

  test('keeps an image of an earlier run', async () => {
    const { trial, dc1 } = platform();
    dc1.fault = ({ verb }) =>
      verb === 'upload' ? new ApiError('invalid', 'HTTP 403', 403) : undefined;
    await trial.apply();
    change(dc1, { conditions: PREPARED });
    expect(await trial.apply({ signal: interrupting(dc1) })).toMatchObject({ interrupted: true });
    expect(dc1.has(HARVESTER, 'VirtualMachineImage', 'ubuntu', 'images')).toBe(true);
  });
});

test('reports from the start what an upload waits for, since when, and what to do', async () => {
  const { trial, dc1 } = platform();
  dc1.reactions.unshift((object, cluster) => {
    if (object.kind === 'VirtualMachineImage' && !object.status) {
      cluster.change(object, (image) => {
        image.status = {
          conditions: [{ type: 'Initialized', status: 'Unknown', reason: 'Waiting' }],
        };
      });
    }
  });
  const { failed } = await trial.apply({ timeoutMs: 30_000 });
  const why = 'Harvester prepares it for the upload of its file: Initialized is Unknown (Waiting)';
  expect(trial.events).toContainEqual({
    type: 'node',
    id: ID,
    target: 'dc1',
    state: 'waiting',
    message: why,
    hint: expect.stringContaining('backing-image-… in longhorn-system'),
    limitSeconds: 30,
  });
  expect(failed[0].message).toContain(`did not prepare it for an upload: ${why}. Usual cause: `);
});

test('uploads nothing without a file', async () => {
  const { trial, dc1 } = platform({}, null);
  expect((await trial.apply()).failed).toEqual([]);
  expect(uploads(dc1)).toEqual([]);
});
