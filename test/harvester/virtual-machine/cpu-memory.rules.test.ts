import { Size } from 'cdk8s';
import { programOf, vm } from './_machines';
import { findings, machine, told } from '../../support/machines';

const HOTPLUG = 'harvesterhci.io/enableCPUAndMemoryHotplug';
const DOMAIN = 'spec.template.spec.domain';

/** A machine that can grow from 2 CPUs and 2 GiB to 8 of each. */
const growing = (cpu: object = {}, memory: object = {}, annotation = 'true') =>
  machine('a', {
    annotations: { [HOTPLUG]: annotation },
    domain: {
      cpu: { cores: 1, sockets: 2, threads: 1, maxSockets: 8, ...cpu },
      memory: { guest: '2Gi', maxGuest: '8Gi', ...memory },
      resources: { limits: { cpu: '8', memory: '8Gi' } },
    },
  });

describe('a machine that can grow while it runs', () => {
  test('is written as by the UI', () => {
    const { metadata, spec } = vm({
      cpus: 2,
      memory: Size.gibibytes(4),
      hotplug: { maxCpus: 8, maxMemory: Size.gibibytes(16) },
    });
    expect(metadata.annotations[HOTPLUG]).toBe('true');
    expect(spec.template.spec.domain).toMatchObject({
      cpu: { cores: 1, sockets: 2, threads: 1, maxSockets: 8 },
      memory: { guest: '4Gi', maxGuest: '16Gi' },
      resources: { limits: { cpu: '8', memory: '16Gi' } },
    });
    expect(vm().metadata.annotations).not.toHaveProperty([HOTPLUG]);
  });

  test.each<[string, object, object, string, string]>([
    [
      'more sockets than the maximum',
      { sockets: 9 },
      {},
      `${DOMAIN}.cpu.sockets`,
      'Number of sockets in CPU topology is greater than the maximum sockets allowed',
    ],
    [
      'more memory than the maximum',
      {},
      { guest: '9Gi' },
      `${DOMAIN}.memory.guest`,
      'Guest memory is greater than the configured maxGuest memory',
    ],
    [
      'no memory to start with',
      {},
      { guest: undefined },
      `${DOMAIN}.memory.guest`,
      'Guest memory must be configured when memory hotplug is enabled',
    ],
    [
      'less than 1 GiB',
      {},
      { guest: '512Mi' },
      `${DOMAIN}.memory.guest`,
      'Memory hotplug is only available for VMs with at least 1Gi of guest memory',
    ],
    [
      'memory in no whole blocks',
      {},
      { guest: '2049Mi' },
      `${DOMAIN}.memory.guest`,
      'Guest memory must be 2Mi aligned',
    ],
    [
      'a maximum in no whole blocks',
      {},
      { maxGuest: '8193Mi' },
      `${DOMAIN}.memory.maxGuest`,
      'MaxGuest must be 2Mi aligned',
    ],
  ])('is refused with %s', (_, cpu, memory, path, says) => {
    const [finding, ...others] = findings([growing(cpu, memory)], { version: '1.7.2' });
    expect(finding).toMatchObject({ level: 'error', rule: 'virtual-machine/hotplug', path });
    expect(finding!.message).toContain(`(the server: "${says}")`);
    expect(others).toEqual([]);
  });

  test('is accepted within its limits, and not judged by them where Harvester writes the fields', () => {
    expect(told([growing()], { version: '1.6.0' })).toEqual([]);
    expect(told([growing({ sockets: 9 }, {}, 'false')], { version: '1.6.0' })).toEqual([]);
  });

  test('needs Harvester 1.6.0', () => {
    expect(told([growing()], { version: '1.5.2' })).toEqual([
      `error virtual-machine/hotplug-version metadata.annotations[${HOTPLUG}]`,
    ]);
    expect(() =>
      programOf(() => ({ hotplug: { maxCpus: 8, maxMemory: Size.gibibytes(16) } }), '1.5.2'),
    ).toThrow(
      'hotplug: hotplug of CPUs and memory of a virtual machine needs Harvester 1.6.0 or later',
    );
  });

  test('waits for a restart only where it does not grow', () => {
    const edit = (now: ReturnType<typeof growing>) =>
      told([now], { before: [growing()], version: '1.7.2' });
    expect(edit(growing({ sockets: 4 }, { guest: '4Gi' }))).toEqual([]);
    const RESTART = [`warning virtual-machine/restart ${DOMAIN}`];
    expect(edit(growing({ sockets: 1 }))).toEqual(RESTART);
    expect(edit(growing({}, { guest: '1Gi' }))).toEqual(RESTART);
    expect(edit(growing({}, { maxGuest: '16Gi' }))).toEqual(RESTART);
    expect(edit(growing({ maxSockets: 16 }))).toEqual(RESTART);
  });
});

describe('the topology of CPUs', () => {
  const cpuOf = (props: object): object =>
    programOf(() => props, '1.9.0').rendered()!.spec.template.spec.domain.cpu;

  test('divides the CPUs', () => {
    expect(cpuOf({ cpus: 8, cpuSockets: 2, cpuThreads: 2 })).toEqual({
      cores: 2,
      sockets: 2,
      threads: 2,
    });
  });

  test.each<[object, string]>([
    [
      { cpus: 6, cpuSockets: 4 },
      'cpus: must be a multiple of 4, cpuSockets times cpuThreads, got 6',
    ],
    [{ cpuThreads: 0 }, 'cpuThreads: must be a whole number of 1 or more, got 0'],
    [
      { cpuSockets: 2, hotplug: { maxCpus: 4, maxMemory: Size.gibibytes(8) } },
      'cpuSockets: cannot be combined with hotplug, where each CPU is a socket, got 2',
    ],
    [
      { hotplug: { maxCpus: 2.5, maxMemory: Size.gibibytes(8) } },
      'hotplug.maxCpus: must be a whole number, got 2.5',
    ],
  ])('of %j is refused', (props, message) => {
    expect(() => vm(props)).toThrow(message);
  });
});

describe('a machine without cpu', () => {
  const without = (annotations: object = {}, instance: object = {}) =>
    machine('a', { annotations, domain: { cpu: undefined }, instance });
  const found = (version?: string, ...[manifest = without()]: ReturnType<typeof machine>[]) =>
    told([manifest], { version }).filter((finding) => finding.includes('virtual-machine/cpu '));

  test('is refused by Harvester 1.6.1 to 1.8', () => {
    expect(found('1.8.2')).toEqual([`error virtual-machine/cpu ${DOMAIN}.cpu`]);
    expect(found()).toEqual([`warning virtual-machine/cpu ${DOMAIN}.cpu`]);
    expect(found('1.9.0')).toEqual([]);
    expect(found('1.8.2', without({ [HOTPLUG]: 'true' }))).toEqual([]);
    expect(found('1.8.2', without({}, { architecture: 'arm64' }))).toEqual([]);
    expect(found('1.8.2', machine('a'))).toEqual([]);
  });

  test('is accepted where it exists, since an apply keeps the cpu of the server', () => {
    const live = [{ ...machine('a'), metadata: { ...machine('a').metadata, uid: '1' } }];
    const all = told([without()], { version: '1.8.2', live });
    expect(all.filter((finding) => finding.includes('virtual-machine/cpu '))).toEqual([]);
  });
});

test('warns of memory that an edit removes where the live machine has guest memory', () => {
  const bare = machine('a', { domain: { resources: undefined } });
  const live = machine('a', { domain: { memory: { guest: '1Gi' } } });
  const ofMemory = (around: object) =>
    findings([bare], { version: '1.8.2', ...around })
      .filter(({ message }) => message.includes('must set resources.limits.memory'))
      .map(({ level }) => level);
  expect(ofMemory({})).toEqual(['error']);
  expect(ofMemory({ live: [{ ...live, metadata: { ...live.metadata, uid: '1' } }] })).toEqual([
    'warning',
  ]);
});
