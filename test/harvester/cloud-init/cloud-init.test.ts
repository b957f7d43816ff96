import { parse } from 'yaml';
import { SecretValue } from '../../../src/core/value/secret-value';
import { CloudInit } from '../../../src/harvester/cloud-init/cloud-init';
import {
  CloudInitCommand,
  CloudInitFile,
  CloudInitProps,
  GuestAgent,
} from '../../../src/harvester/cloud-init/cloud-init-props';

const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxvY2FsLXRlc3Qta2V5LW5vdC11c2VkLWF0LWFsbA ana@example.com';
const HASH = SecretValue.unsafePlainText('$6$rounds=4096$salt$hash');

function dataOf(props: CloudInitProps): any {
  return parse(CloudInit.of(props).toText());
}

describe('user data from props', () => {
  test("installs the guest agent as Rancher's UI does, byte for byte the same each time", () => {
    expect(CloudInit.of().toText()).toBe(`#cloud-config
package_update: true
packages:
  - qemu-guest-agent
runcmd:
  - - systemctl
    - enable
    - --now
    - qemu-guest-agent.service
`);
  });

  test('writes each part in one fixed order', () => {
    expect(
      CloudInit.of({
        other: { mounts: [['/dev/vdb', '/data']] },
        runCommands: [
          CloudInitCommand.shell('echo "$(hostname)" > /etc/motd'),
          CloudInitCommand.exec('systemctl', 'restart', 'sshd'),
        ],
        packages: ['nfs-common'],
        packageUpgrade: true,
        files: [
          CloudInitFile.text('/etc/sysctl.d/90.conf', 'vm.swappiness = 0\n', {
            owner: 'root:root',
            permissions: '0644',
          }),
          CloudInitFile.secret('/etc/token', SecretValue.unsafePlainText('s3cret')),
          CloudInitFile.base64('/etc/key', 'AAEC', { append: true, defer: true }),
        ],
        bootCommands: [CloudInitCommand.exec('modprobe', 'macvlan')],
        sshPasswordAuth: false,
        sshAuthorizedKeys: [KEY],
        users: [
          {
            name: 'ana',
            sudo: ['ALL=(ALL) NOPASSWD:ALL'],
            groups: ['wheel'],
            shell: '/bin/bash',
            sshAuthorizedKeys: [KEY],
            passwordHash: HASH,
          },
        ],
        growPartitions: ['/', '/dev/vdb1'],
        ntpServers: ['ntp.example.com'],
        timezone: 'Europe/Vienna',
      }).toText(),
    ).toBe(`#cloud-config
timezone: Europe/Vienna
ntp:
  enabled: true
  servers:
    - ntp.example.com
growpart:
  mode: auto
  devices:
    - /
    - /dev/vdb1
users:
  - default
  - name: ana
    shell: /bin/bash
    groups:
      - wheel
    sudo:
      - ALL=(ALL) NOPASSWD:ALL
    lock_passwd: false
    passwd: $6$rounds=4096$salt$hash
    ssh_authorized_keys:
      - ${KEY}
ssh_authorized_keys:
  - ${KEY}
ssh_pwauth: false
bootcmd:
  - - modprobe
    - macvlan
write_files:
  - content: |
      vm.swappiness = 0
    owner: root:root
    path: /etc/sysctl.d/90.conf
    permissions: "0644"
  - content: s3cret
    path: /etc/token
    permissions: "0600"
  - encoding: b64
    content: AAEC
    path: /etc/key
    append: true
    defer: true
package_update: true
package_upgrade: true
packages:
  - qemu-guest-agent
  - nfs-common
runcmd:
  - - systemctl
    - enable
    - --now
    - qemu-guest-agent.service
  - echo "$(hostname)" > /etc/motd
  - - systemctl
    - restart
    - sshd
mounts:
  - - /dev/vdb
    - /data
`);
  });

  test('has no packages if the agent is in the image, so that nothing waits for a mirror', () => {
    expect(CloudInit.of({ guestAgent: GuestAgent.preinstalled() }).toText()).toBe(
      '#cloud-config\n# qemu-guest-agent is in the image\n{}\n',
    );
    expect(dataOf({ guestAgent: GuestAgent.install({ packageUpdate: false }) })).not.toHaveProperty(
      'package_update',
    );
  });

  test('prefers the packageUpdate of the user to that of the agent', () => {
    expect(dataOf({ packageUpdate: false }).package_update).toBe(false);
  });

  test('drops the default user of the image only on request', () => {
    expect(dataOf({ users: [{ name: 'ana' }], defaultUser: false }).users).toEqual([
      { name: 'ana' },
    ]);
  });

  test.each<[string, CloudInitProps, string]>([
    [
      'a file at a relative path',
      { files: [CloudInitFile.text('etc/motd', '')] },
      'CloudInit.of: files[0]: must be an absolute path, got "etc/motd". Fix: begin with /',
    ],
    [
      'permissions as a number would be',
      { files: [CloudInitFile.text('/a', '', { permissions: '644' })] },
      'CloudInit.of: files[0].permissions: must be four octal digits, got "644". Fix: set permissions such as 0644',
    ],
    [
      'a file that is written twice',
      { files: [CloudInitFile.text('/a', '1'), CloudInitFile.text('/a', '2')] },
      'CloudInit.of: files[1]: must be unique, got "/a": the last file with this path overwrites the others. Fix: write it once, or set append',
    ],
    [
      "a user of cloud-init's own",
      { users: [{ name: 'default' }] },
      'users[0].name: cannot be used, got "default": cloud-init reserves it for the default user of the image. Fix: use defaultUser',
    ],
    [
      'a login name in capitals',
      { users: [{ name: 'Ana' }] },
      'users[0].name: must be a valid login name, got "Ana". Fix: use at most 32 of a-z, 0-9, _ and -, with a letter or _ first',
    ],
    [
      'a user twice',
      { users: [{ name: 'ana' }, { name: 'ana' }] },
      'users[1].name: must be unique, got "ana": another user has this name. Fix: list each user once',
    ],
    [
      'text that is not a key',
      { sshAuthorizedKeys: ['AAAA'] },
      'sshAuthorizedKeys[0]: must be a public key in OpenSSH format, got "AAAA". Fix: set one line of a .pub file',
    ],
    [
      'two keys in one',
      { sshAuthorizedKeys: [`${KEY}\n${KEY}`] },
      'sshAuthorizedKeys[0]: must be a single line. Fix: list one key per item',
    ],
    [
      'several packages in one',
      { packages: ['a b'] },
      'packages[0]: must be the name of a package, got "a b". Fix: list one package per item',
    ],
    [
      'an empty command',
      { runCommands: [CloudInitCommand.exec()] },
      'runCommands[0]: must contain a command. Fix: set a shell line, or a program and its arguments',
    ],
    [
      'a key that has a prop',
      { other: { runcmd: [] } },
      'other.runcmd: cannot be set here: it has its own prop. Fix: use runCommands',
    ],
    [
      'a certificate that is none',
      { trustedCertificates: ['abc'] },
      'trustedCertificates[0]: must be a PEM certificate. Fix: set the text from -----BEGIN CERTIFICATE----- on',
    ],
  ])('refuses %s', (_, props, message) => {
    expect(() => CloudInit.of(props)).toThrow(message);
  });

  test('refuses a password and a private key without showing them', () => {
    const password = {
      users: [{ name: 'ana', passwordHash: SecretValue.unsafePlainText('hunter2') }],
    };
    expect(() => CloudInit.of(password)).toThrow(
      'users[0].passwordHash: must be the hash of a password. Fix: set the output of mkpasswd -m sha-512, which begins with $',
    );
    expect(() => CloudInit.of(password)).not.toThrow('hunter2');
    const key = { sshAuthorizedKeys: ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz'] };
    expect(() => CloudInit.of(key)).toThrow(
      'sshAuthorizedKeys[0]: cannot be a private key. Fix: set the public key, from the .pub file',
    );
    expect(() => CloudInit.of(key)).not.toThrow('b3BlbnNz');
  });

  test('reports all problems at once', () => {
    expect(() => CloudInit.of({ packages: ['a b'], users: [{ name: 'A' }] })).toThrow(
      /users\[0\].*\nCloudInit\.of: packages\[0\]/,
    );
  });
});

describe('user data from text', () => {
  test('is kept with comments and blanks', () => {
    const text = '#cloud-config\n# ours\npackages:   [ vim ]\n';
    expect(CloudInit.fromYaml(text).toText()).toBe(text);
  });

  test('gets a missing header', () => {
    expect(CloudInit.fromYaml('packages: [vim]\n').toText()).toBe(
      '#cloud-config\npackages: [vim]\n',
    );
  });

  test('keeps the header of a template, also when something is added', () => {
    const text = '## template: jinja\n#cloud-config\nruncmd:\n- echo {{ v1.local_hostname }}\n';
    expect(CloudInit.fromYaml(text).toText()).toBe(text);
    expect(CloudInit.fromYaml(text)._render([{ path: '/a', content: 'b' }])).toBe(
      '## template: jinja\n#cloud-config\nwrite_files:\n  - path: /a\n    content: b\nruncmd:\n  - echo {{ v1.local_hostname }}\n',
    );
  });

  test('gets the guest agent on request, before its own commands', () => {
    expect(
      parse(
        CloudInit.fromYaml('runcmd: [[ls]]\npackages: [vim, qemu-guest-agent]', {
          guestAgent: GuestAgent.install(),
        }).toText(),
      ),
    ).toEqual({
      package_update: true,
      packages: ['qemu-guest-agent', 'vim'],
      runcmd: [['systemctl', 'enable', '--now', 'qemu-guest-agent.service'], ['ls']],
    });
  });

  test.each([
    ['a script', '#!/bin/sh\necho', /CloudInit\.fromYaml: text: must be a YAML map, not a script/],
    [
      'a MIME archive',
      'Content-Type: multipart/mixed; boundary="x"\n',
      /must be a YAML map, not a MIME archive/,
    ],
    ['a list', '- a\n', /must be a YAML map/],
    ['nothing', '', /must be a YAML map/],
    ['broken YAML', 'a: [', /is not valid YAML/],
    [
      'a command that is not a list',
      '#cloud-config\nruncmd: ls\n',
      /text\.runcmd: must be a list .*\. Fix: write each item after a hyphen/,
    ],
    [
      'files that are not a list',
      '#cloud-config\nwrite_files: {}\n',
      /cannot append two slices with different type/,
    ],
    [
      'another header of a template',
      '## Template:jinja\n#cloud-config\n{}\n',
      /text: must be exactly "## template: jinja", got "## Template:jinja".*begin with the line "## template: jinja"/,
    ],
  ])('is refused when it is %s', (_, text, message) => {
    expect(() => CloudInit.fromYaml(text)).toThrow(message);
  });
});

describe('combined user data', () => {
  test('has all commands and packages, and the agent once', () => {
    const parts = ['a', 'b'].map((name) =>
      CloudInit.of({ packages: [name, 'c'], runCommands: [CloudInitCommand.shell(name)] }),
    );
    expect(parse(CloudInit.combine(...parts).toText())).toEqual({
      package_update: true,
      packages: ['qemu-guest-agent', 'a', 'c', 'b'],
      runcmd: [['systemctl', 'enable', '--now', 'qemu-guest-agent.service'], 'a', 'b'],
    });
  });

  test('notes that the agent is in the image if one does and none installs it', () => {
    const said = CloudInit.of({ guestAgent: GuestAgent.preinstalled() });
    expect(CloudInit.combine(CloudInit.fromYaml('a: 1'), said).toText()).toBe(
      '#cloud-config\n# qemu-guest-agent is in the image\na: 1\n',
    );
    expect(CloudInit.combine(said, CloudInit.of()).toText()).toBe(CloudInit.of().toText());
  });

  test('is refused with contradicting values', () => {
    const parts = ['Europe/Vienna', 'UTC'].map((timezone) => CloudInit.of({ timezone }));
    expect(() => CloudInit.combine(...parts)).toThrow(
      'CloudInit.combine: timezone: cannot have two different values. Fix: set it in one of the user data',
    );
  });

  test('of one part is that part, unchanged', () => {
    expect(CloudInit.combine(CloudInit.fromYaml('#cloud-config\n# kept\na: 1\n')).toText()).toBe(
      '#cloud-config\n# kept\na: 1\n',
    );
  });
});
