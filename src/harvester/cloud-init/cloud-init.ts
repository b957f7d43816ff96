import {
  CloudInitCommand,
  CloudInitProps,
  CloudInitUser,
  GuestAgent,
  userFields,
} from './cloud-init-props';
import {
  checkUserData,
  CloudConfig,
  mergeCloudConfigs,
  orderedCloudConfig,
  CLOUD_CONFIG_HEADER,
  JINJA_HEADER,
} from './cloud-init.check';
import { isLate } from '../../core/late/late-token';
import { sortedKeys } from '../../core/manifest/manifest';
import { Problem, problemText } from '../../core/problem/problem';
import { tableByName, defined, filledList } from '../../core/text/values';
import { freeForm } from '../../core/value/free-form';
import { readYaml } from '../../core/yaml/yaml-reader';
import { toYaml } from '../../core/yaml/yaml-writer';

const USER_NAME = /^[a-z_][-a-z0-9_]{0,31}$/;
const PUBLIC_KEY = /(?:^|\s)(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ +[A-Za-z0-9+/]{16,}={0,3}(?:\s|$)/;

/** The prop of each key of cloud-init. */
const TYPED: { readonly [key: string]: string } = tableByName({
  hostname: 'hostname',
  timezone: 'timezone',
  ntp: 'ntpServers',
  ca_certs: 'trustedCertificates',
  growpart: 'growPartitions',
  users: 'users',
  ssh_authorized_keys: 'sshAuthorizedKeys',
  ssh_pwauth: 'sshPasswordAuth',
  bootcmd: 'bootCommands',
  write_files: 'files',
  package_update: 'packageUpdate',
  package_upgrade: 'packageUpgrade',
  packages: 'packages',
  runcmd: 'runCommands',
});

function* checkCloudInit(props: CloudInitProps): Iterable<Problem> {
  yield* checkFiles(props);
  yield* checkUsers(props.users ?? []);
  yield* checkKeys('sshAuthorizedKeys', props.sshAuthorizedKeys);
  for (const [index, name] of (props.packages ?? []).entries()) {
    if (name.trim() === '' || /\s/.test(name)) {
      yield {
        path: `packages[${index}]`,
        value: name,
        message: 'must be the name of a package',
        fix: 'list one package per item',
      };
    }
  }
  for (const list of ['runCommands', 'bootCommands'] as const) {
    for (const [index, { _command }] of (props[list] ?? []).entries()) {
      if (_command.length === 0) {
        yield {
          path: `${list}[${index}]`,
          message: 'must contain a command',
          fix: 'set a shell line, or a program and its arguments',
        };
      }
    }
  }
  for (const key of Object.keys(props.other ?? {})) {
    if (TYPED[key]) {
      yield {
        path: `other.${key}`,
        message: 'cannot be set here: it has its own prop',
        fix: `use ${TYPED[key]}`,
      };
    }
  }
  for (const [index, pem] of (props.trustedCertificates ?? []).entries()) {
    if (!isLate(pem) && !/-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/.test(pem)) {
      yield {
        path: `trustedCertificates[${index}]`,
        message: 'must be a PEM certificate',
        fix: 'set the text from -----BEGIN CERTIFICATE----- on',
      };
    }
  }
}

function* checkFiles(props: CloudInitProps): Iterable<Problem> {
  const written = new Set<string>();
  for (const [index, { _path, _options }] of (props.files ?? []).entries()) {
    const { permissions, append } = _options;
    if (!_path.startsWith('/')) {
      yield {
        path: `files[${index}]`,
        value: _path,
        message: 'must be an absolute path',
        fix: 'begin with /',
      };
    }
    if (permissions !== undefined && !/^[0-7]{4}$/.test(permissions)) {
      yield {
        path: `files[${index}].permissions`,
        value: permissions,
        message: 'must be four octal digits',
        fix: 'set permissions such as 0644',
      };
    }
    if (written.has(_path) && !append) {
      yield {
        path: `files[${index}]`,
        value: _path,
        message: 'must be unique: the last file with this path overwrites the others',
        fix: 'write it once, or set append',
      };
    }
    written.add(_path);
  }
}

function* checkUsers(users: readonly CloudInitUser[]): Iterable<Problem> {
  const seen = new Set<string>();
  for (const [index, user] of users.entries()) {
    const path = `users[${index}]`;
    if (user.name === 'default') {
      yield {
        path: `${path}.name`,
        value: user.name,
        message: 'cannot be used: cloud-init reserves it for the default user of the image',
        fix: 'use defaultUser',
      };
    } else if (!USER_NAME.test(user.name)) {
      yield {
        path: `${path}.name`,
        value: user.name,
        message: 'must be a valid login name',
        fix: 'use at most 32 of a-z, 0-9, _ and -, with a letter or _ first',
      };
    }
    if (seen.has(user.name)) {
      yield {
        path: `${path}.name`,
        value: user.name,
        message: 'must be unique: another user has this name',
        fix: 'list each user once',
      };
    }
    seen.add(user.name);
    yield* checkKeys(`${path}.sshAuthorizedKeys`, user.sshAuthorizedKeys);
    const hash = user.passwordHash?._unwrap();
    if (hash !== undefined && !isLate(hash) && !/^[$_]/.test(hash)) {
      // never the value: it may be the password itself
      yield {
        path: `${path}.passwordHash`,
        message: 'must be the hash of a password',
        fix: 'set the output of mkpasswd -m sha-512, which begins with $',
      };
    }
  }
}

function* checkKeys(path: string, keys: readonly string[] = []): Iterable<Problem> {
  for (const [index, key] of keys.entries()) {
    if (/PRIVATE KEY/.test(key)) {
      yield {
        path: `${path}[${index}]`,
        message: 'cannot be a private key',
        fix: 'set the public key, from the .pub file',
      };
    } else if (!isLate(key) && !PUBLIC_KEY.test(key.trim())) {
      yield {
        path: `${path}[${index}]`,
        value: key,
        message: 'must be a public key in OpenSSH format',
        fix: 'set one line of a .pub file, e.g. ssh-ed25519 AAAA… name',
      };
    } else if (/[\r\n]/.test(key.trim())) {
      yield {
        path: `${path}[${index}]`,
        message: 'must be a single line',
        fix: 'list one key per item',
      };
    }
  }
}

/** Options of cloud-init user data in text form. */
export interface CloudInitTextOptions {
  /**
   * The source of qemu-guest-agent, in addition to the text.
   * @default - nothing is added to the text
   */
  readonly guestAgent?: GuestAgent;
}

/**
 * User data for cloud-init: the setup of a machine at its first boot, for machine pools, virtual
 * machines and nodes of custom clusters.
 *
 * Equal arguments give equal bytes in every version of this library, since Rancher replaces all
 * machines of a pool when they change. For machines of a pool, Rancher adds its SSH key and the
 * script that installs Kubernetes, which runs after these commands.
 *
 * @see https://cloudinit.readthedocs.io/en/latest/reference/modules.html
 */
export class CloudInit {
  /** User data from typed props. Installs qemu-guest-agent by default. */
  public static of(props: CloudInitProps = {}): CloudInit {
    const { value: other, problems } = freeForm('other', props.other);
    throwErrors('CloudInit.of', [...checkCloudInit(props), ...problems]);
    return new CloudInit(fieldsOf({ ...props, other }), props.guestAgent ?? GuestAgent.install());
  }

  /**
   * User data from text: a YAML map, which is kept unchanged unless something is added to it.
   *
   * The node driver reads it as YAML too, so scripts (`#!`) and MIME archives are refused. A jinja
   * template must begin with the line `## template: jinja`, and be valid YAML before it is
   * rendered.
   *
   * @param text the user data; a missing header `#cloud-config` is added
   */
  public static fromYaml(text: string, options: CloudInitTextOptions = {}): CloudInit {
    throwErrors('CloudInit.fromYaml', [...checkHeader(text), ...checkUserData('text', text)]);
    const fields = readYaml(text)[0] as CloudConfig | null | undefined;
    // a machine would accept it, but it is surely a mistake
    if (!fields) {
      throwErrors('CloudInit.fromYaml', [
        {
          path: 'text',
          message: 'must be a YAML map with at least one key',
          fix: 'add keys such as packages, runcmd, write_files',
        },
      ]);
    }
    const whole =
      text.startsWith(JINJA_HEADER) || text.startsWith(CLOUD_CONFIG_HEADER.trim())
        ? text
        : CLOUD_CONFIG_HEADER + text;
    return new CloudInit(fields!, options.guestAgent ?? GuestAgent._unsaid(), whole);
  }

  /**
   * No user data, for a pool whose image contains qemu-guest-agent and whatever else it needs:
   * its HarvesterConfig has none, unless the cluster adds files. Elsewhere an empty cloud config.
   */
  public static none(): CloudInit {
    return new CloudInit({}, GuestAgent._unsaid(), CLOUD_CONFIG_HEADER);
  }

  /**
   * Several user data combined: lists are joined in this order. Contradicting values are an error.
   *
   * @param parts the user data, at least one
   */
  public static combine(...parts: CloudInit[]): CloudInit {
    if (parts.length === 1) {
      return parts[0];
    }
    const agents = parts.map((part) => part.agent);
    const agent =
      agents.find(({ _fields }) => Object.keys(_fields).length > 0) ??
      agents.find(({ _comment }) => _comment !== '') ??
      GuestAgent._unsaid();
    const { fields, problems } = mergeCloudConfigs(parts.map((part) => part.fields));
    throwErrors('CloudInit.combine', problems);
    return new CloudInit(
      fields,
      agent,
      undefined,
      parts.some(({ isJinja }) => isJinja),
    );
  }

  private readonly isJinja: boolean;

  private constructor(
    private readonly fields: CloudConfig,
    private readonly agent: GuestAgent,
    private readonly text?: string,
    isJinja = false,
  ) {
    this.isJinja = isJinja || (text?.startsWith(JINJA_HEADER) ?? false);
  }

  /** The user data as text, with the header `#cloud-config`. */
  public toText(): string {
    return this._render([]);
  }

  /** The user data with files of the cluster whose node the machine becomes. @internal */
  public _render(files: readonly { readonly [key: string]: unknown }[]): string {
    const hasAgent = this.agent._comment !== '' || Object.keys(this.agent._fields).length > 0;
    if (this.text !== undefined && files.length === 0 && !hasAgent) {
      return this.text;
    }
    // the agent comes first: Rancher waits for the address that it reports
    const { fields, problems } = mergeCloudConfigs(
      [this.agent._fields, this.fields, files.length > 0 ? { write_files: files } : {}],
      ['package_update'],
    );
    throwErrors('CloudInit', problems);
    return `${this.isJinja ? JINJA_HEADER : ''}${CLOUD_CONFIG_HEADER}${this.agent._comment}${toYaml(orderedCloudConfig(fields))}`;
  }

  /** Whether it is that of `none`, to which nothing was added. @internal */
  public _isNone(): boolean {
    return this.text === CLOUD_CONFIG_HEADER && Object.keys(this.fields).length === 0;
  }

  /** The key that sets the host name, which Rancher sets for machines of a pool. @internal */
  public _hostnameKey(): string | undefined {
    return ['hostname', 'fqdn', 'preserve_hostname'].find(
      (key) => this.fields[key] !== undefined && this.fields[key] !== false,
    );
  }
}

function fieldsOf(props: CloudInitProps): CloudConfig {
  const commands = (list?: readonly CloudInitCommand[]): unknown[] | undefined =>
    filledList(list?.map(({ _command: command }) => command));
  const users = props.users?.map(userFields) ?? [];
  // a list of users without `default` drops the user of the image, which gets Rancher's key
  const imageUser = (props.defaultUser ?? true) ? ['default'] : [];
  const fields: CloudConfig = {
    hostname: props.hostname,
    timezone: props.timezone,
    ntp: props.ntpServers && { enabled: true, servers: [...props.ntpServers] },
    ca_certs: props.trustedCertificates && { trusted: [...props.trustedCertificates] },
    growpart: props.growPartitions && { mode: 'auto', devices: [...props.growPartitions] },
    users: users.length > 0 ? [...imageUser, ...users] : undefined,
    ssh_authorized_keys: filledList(props.sshAuthorizedKeys),
    ssh_pwauth: props.sshPasswordAuth,
    bootcmd: commands(props.bootCommands),
    write_files: filledList(props.files?.map((file) => file._render())),
    package_update: props.packageUpdate,
    package_upgrade: props.packageUpgrade || undefined,
    packages: filledList(props.packages),
    runcmd: commands(props.runCommands),
    // maps are unordered in some languages, and a different order would replace machines
    ...sortedKeys(props.other),
  };
  return defined(fields);
}

function checkHeader(text: string): Problem[] {
  if (!/^##\s*template\s*:/i.test(text) || text.startsWith(JINJA_HEADER)) {
    return [];
  }
  return [
    {
      path: 'text',
      value: text.split('\n', 1)[0],
      message: `must be exactly ${JSON.stringify(JINJA_HEADER.trim())}: the node driver drops any other header, and the template is never rendered`,
      fix: `begin with the line ${JSON.stringify(JINJA_HEADER.trim())}`,
    },
  ];
}

// there is no construct yet, so the name of the call is the location
function throwErrors(where: string, problems: Iterable<Problem>): void {
  const errors = [...problems].filter(({ level }) => level !== 'warning');
  if (errors.length > 0) {
    throw new Error(errors.map((problem) => `${where}: ${problemText(problem)}`).join('\n'));
  }
}
