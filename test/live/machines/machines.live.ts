import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLab } from './lab';
import { normalMachine } from './normal-machine';
import { Manifest, valueAt } from '../../../src/core/manifest/manifest';
import { DriverCase, exampleCases, poolCases } from '../../guest/machine-config/_driver-cases';
import {
  MACHINE_RECORDINGS,
  RecordedMachine,
  recordedMachines,
} from '../../support/machine-recordings';

/** Writes what the driver made instead of comparing it. */
const isRecording = process.env.LIVE_RECORD === '1';

const lab = openLab();
const cases = { ...exampleCases(), ...poolCases() };
const made: { [title: string]: RecordedMachine } = {};

async function make({ config, cluster, machine }: DriverCase): Promise<RecordedMachine> {
  const namespace = String(config.vmNamespace ?? 'default');
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name: machine },
  };
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${machine}-cloudinit` },
  };
  await lab.references.addReferences(config);
  await lab.machine.addInstance(namespace, machine);
  [vm, secret].forEach((object) => lab.machine.own(object));
  const { isDone, output } = await lab.driver.create(config, cluster, machine);
  expect({ isDone, output: isDone ? '' : output }).toEqual({ isDone: true, output: '' });
  const [vmAnswer, secretAnswer] = [await lab.client.read(vm), await lab.client.read(secret)];
  const stored = secretAnswer.status === 200 ? (secretAnswer.body as Manifest) : undefined;
  return { config, cluster, machine, ...normalMachine(vmAnswer.body as Manifest, stored) };
}

/** Whether KubeVirt's webhooks run, which fill in what the driver leaves open, and replace nothing. */
function isFilledIn({ virtualMachine }: RecordedMachine): boolean {
  return valueAt(virtualMachine, 'spec', 'template', 'spec', 'architecture') !== undefined;
}

afterEach(async () => lab.machine.remove());

test.each(Object.keys(cases))('%s becomes the recorded machine', async (title) => {
  made[title] = await make(cases[title]);
  const recorded = recordedMachines()[title];
  if (isRecording) {
    // what webhooks fill in is not of the driver
    expect(isFilledIn(made[title])).toBe(false);
  } else if (isFilledIn(made[title])) {
    expect(made[title]).toMatchObject(recorded);
  } else {
    expect(made[title]).toEqual(recorded);
  }
});

afterAll(async () => {
  await lab.references.remove();
  if (isRecording) {
    mkdirSync(MACHINE_RECORDINGS, { recursive: true });
    const text = JSON.stringify(made, undefined, 2);
    writeFileSync(join(MACHINE_RECORDINGS, 'machines.json'), `${text}\n`);
  }
});
