import { machineConfig, told } from '../../support/guest';

const login = (sshPassword: string, sshUser = 'ubuntu') =>
  told([machineConfig({ sshPassword, sshUser })]).filter((line) => line.includes('login'));

test.each(['secret', 'Very-Secret_1', "it's", 'a:b', 'x%', '"a: b"', "'@x'", '\\n'])(
  '%j is fine',
  (password) => {
    expect(login(password)).toEqual([]);
  },
);

test.each(['a: b', '@x', '{x', '%x', '- x', 'x\ny', '"x'])(
  '%j is refused by the driver, and fine in quotes',
  (password) => {
    expect(login(JSON.stringify(password))).toEqual([]);
    expect(login(password)).toEqual([
      expect.stringContaining('error machine-config/login sshPassword: must be in quotes'),
    ]);
  },
);

test.each(['123', 'yes', 'null', '~', '#x', 'x #y', ' x', '0x1f'])(
  '%j is another value, and fine in quotes',
  (password) => {
    expect(login(JSON.stringify(password))).toEqual([]);
    expect(login(password)).toEqual([
      expect.stringContaining('warning machine-config/login sshPassword: must be in quotes'),
    ]);
  },
);

test('a message does not show the password, and the user counts where there is one', () => {
  expect(login('hunter2: x').join()).not.toContain('hunter2');
  expect(login('secret', '@ops')).toEqual([
    expect.stringContaining('error machine-config/login sshUser: must be in quotes'),
  ]);
  expect(login('', '@ops')).toEqual([]);
});

test.each(['Vms', 'a/b', '-a', 'a_b'])('%j is not the name of a namespace', (vmNamespace) => {
  expect(told([machineConfig({ vmNamespace })])).toEqual(
    expect.arrayContaining([expect.stringContaining('error machine-config/namespace vmNamespace')]),
  );
});

test('a selector by the label that begins with the pool is a warning', () => {
  const vmAffinity = JSON.stringify({
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: { matchLabels: { 'nodepool.harvesterhci.io/name': 'all' } },
        },
      ],
    },
  });
  expect(told([machineConfig({ vmAffinity })])).toEqual([
    expect.stringContaining(
      'must not select by this label, got "all": it is <pool>-xxxxx, and another one whenever the machines of the pool are replaced. ' +
        'Fix: select by harvesterhci.io/machineSetName: <namespace>-<cluster>-<pool>',
    ),
  ]);
});
