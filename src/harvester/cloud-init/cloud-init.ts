import { CloudConfig, mergeCloudConfigs, orderedCloudConfig } from './cloud-config.check';
import { CloudInitCommand, CloudInitProps, CloudInitUser, GuestAgent, userFields } from './cloud-init-props';
import { checkUserData } from './cloud-init.check';
import { isLate } from '../../core/late/late-token';
import { sortedKeys } from '../../core/manifest/manifest';
import { Problem, problemText } from '../../core/rule/problem';
import { defined, filledList } from '../../core/text/values';
import { readYaml } from '../../core/yaml/yaml-reader';
import { toYaml } from '../../core/yaml/yaml-writer';
import { CLOUD_CONFIG_HEADER, JINJA_HEADER } from '../../guest/machine-config/machine-config.kind';

const USER_NAME = /^[a-z_][-a-z0-9_]{0,31}$/;
const PUBLIC_KEY = /(?:^|\s)(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ +[A-Za-z0-9+/]{16,}={0,3}(?:\s|$)/;

/** The props that a key of cloud-init has here. */
const TYPED: { readonly [key: string]: string } = {
  hostname: 'hostname',
  timezone: 'timezone',
  ntp: 'ntpServers',
  ca_certs: 'caCertificates',
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
};

/** What is wrong with user data as it is given by its parts. */
export function* checkCloudInit(props: CloudInitProps): Iterable<Problem> {
  yield* checkFiles(props);
  yield* checkUsers(props.users ?? []);
  yield* checkKeys('sshAuthorizedKeys', props.sshAuthorizedKeys);
  for (const [index, name] of (props.packages ?? []).entries()) {
    if (name.trim() === '' || /\s/.test(name)) {
      yield {
        path: `packages[${index}]`, value: name, message: 'is no name of a package', fix: 'give one package each',
      };
    }
  }
  for (const list of ['runCommands', 'bootCommands'] as const) {
    for (const [index, { _command }] of (props[list] ?? []).entries()) {
      if (_command.length === 0) {
        yield {
          path: `${list}[${index}]`, message: 'is no command', fix: 'give a line for the shell, or a program and its arguments',
        };
      }
    }
  }
  for (const key of Object.keys(props.other ?? {})) {
    if (TYPED[key]) { yield { path: `other.${key}`, message: 'has a prop of its own', fix: `use ${TYPED[key]}` }; }
  }
  for (const [index, pem] of (props.caCertificates ?? []).entries()) {
    if (!isLate(pem) && !/-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----/.test(pem)) {
      yield { path: `caCertificates[${index}]`, message: 'is no certificate in PEM form', fix: 'give the text from -----BEGIN CERTIFICATE----- on' };
    }
  }
}

function* checkFiles(props: CloudInitProps): Iterable<Problem> {
  const written = new Set<string>();
  for (const [index, { _path, _options: { permissions, append } }] of (props.files ?? []).entries()) {
    if (!_path.startsWith('/')) { yield { path: `files[${index}]`, value: _path, message: 'is no absolute path', fix: 'begin with /' }; }
    if (permissions !== undefined && !/^[0-7]{4}$/.test(permissions)) {
      yield {
        path: `files[${index}].permissions`,
        value: permissions,
        message: 'is no set of permissions',
        fix: 'give four octal digits, e.g. 0644',
      };
    }
    if (written.has(_path) && !append) {
      yield {
        path: `files[${index}]`, value: _path, message: 'is written twice, and the last one wins', fix: 'write it once, or append',
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
      yield { path: `${path}.name`, value: user.name, message: 'is what cloud-init calls the image\'s own user', fix: 'use defaultUser' };
    } else if (!USER_NAME.test(user.name)) {
      yield {
        path: `${path}.name`,
        value: user.name,
        message: 'is no login name',
        fix: 'use up to 32 of a-z, 0-9, _ and -, beginning with a letter or _',
      };
    }
    if (seen.has(user.name)) { yield { path: `${path}.name`, value: user.name, message: 'is the name of two users', fix: 'give each user once' }; }
    seen.add(user.name);
    yield* checkKeys(`${path}.sshAuthorizedKeys`, user.sshAuthorizedKeys);
    const hash = user.passwordHash?._unwrap();
    if (hash !== undefined && !isLate(hash) && !/^[$_]/.test(hash)) {
      // never the value: people put the password itself here
      yield { path: `${path}.passwordHash`, message: 'is no hash of a password', fix: 'give what mkpasswd -m sha-512 prints; it begins with $' };
    }
  }
}

function* checkKeys(path: string, keys: readonly string[] = []): Iterable<Problem> {
  for (const [index, key] of keys.entries()) {
    if (/PRIVATE KEY/.test(key)) {
      yield { path: `${path}[${index}]`, message: 'is a private key', fix: 'give the public one, as in a file .pub' };
    } else if (!isLate(key) && !PUBLIC_KEY.test(key.trim())) {
      yield {
        path: `${path}[${index}]`,
        value: key,
        message: 'is no public key in OpenSSH\'s format',
        fix: 'give one line as in a file .pub, e.g. ssh-ed25519 AAAA… name',
      };
    } else if (/[\r\n]/.test(key.trim())) {
      yield { path: `${path}[${index}]`, message: 'has several lines', fix: 'give each key as an item of its own' };
    }
  }
}

/**
 * Options of cloud-init user data that is there as text.
 */
export interface CloudInitTextOptions {
  /** How the machine gets qemu-guest-agent, beside what the text says. @default - as the text says */
  readonly guestAgent?: GuestAgent;
}

/**
 * What a machine does at its first start: user data for cloud-init, for pools of machines, for virtual machines and for nodes of custom clusters.
 *
 * The same arguments give the same bytes in every version of this library, since Rancher replaces all machines of a pool when they change.
 * Machines of a pool get besides it what Rancher needs: its ssh key and the script that installs Kubernetes, after the commands here.
 *
 * @see https://cloudinit.readthedocs.io/en/latest/reference/modules.html
 */
export class CloudInit {
  /**
   * User data from its parts. Installs qemu-guest-agent unless told otherwise.
   *
   * @param props what to do
   */
  public static of(props: CloudInitProps = {}): CloudInit {
    throwErrors('CloudInit.of', checkCloudInit(props));
    return new CloudInit(fieldsOf(props), props.guestAgent ?? GuestAgent.install());
  }

  /**
   * User data that is there as text: a YAML map, as it stands unless something must be added to it.
   *
   * The node driver reads it as YAML too, so scripts (`#!`) and MIME archives are refused. A jinja template must begin with the line
   * `## template: jinja`, and be YAML before it is filled.
   *
   * @param text the header `#cloud-config` is put before it where it is missing
   */
  public static fromYaml(text: string, options: CloudInitTextOptions = {}): CloudInit {
    throwErrors('CloudInit.fromYaml', [...checkHeader(text), ...checkUserData('text', text)]);
    const fields = readYaml(text)[0] as CloudConfig | null | undefined;
    // a machine would take it; who writes it out means something
    if (!fields) { throwErrors('CloudInit.fromYaml', [{ path: 'text', message: 'is no YAML map: it holds nothing', fix: 'write keys such as packages, runcmd, write_files' }]); }
    const whole = text.startsWith(JINJA_HEADER) || text.startsWith(CLOUD_CONFIG_HEADER.trim()) ? text : CLOUD_CONFIG_HEADER + text;
    return new CloudInit(fields!, options.guestAgent ?? GuestAgent._unsaid(), whole);
  }

  /**
   * Several user data as one: lists are joined in this order. Where two say something else of the same thing, that is an error.
   *
   * @param parts one at least
   */
  public static combine(...parts: CloudInit[]): CloudInit {
    if (parts.length === 1) { return parts[0]; }
    const agents = parts.map((part) => part.agent);
    const agent = agents.find(({ _fields }) => Object.keys(_fields).length > 0) ?? agents.find(({ _comment }) => _comment !== '') ?? GuestAgent._unsaid();
    const { fields, problems } = mergeCloudConfigs(parts.map((part) => part.fields));
    throwErrors('CloudInit.combine', problems);
    return new CloudInit(fields, agent, undefined, parts.some(({ isJinja }) => isJinja));
  }

  private readonly isJinja: boolean;

  private constructor(private readonly fields: CloudConfig, private readonly agent: GuestAgent, private readonly text?: string, isJinja = false) {
    this.isJinja = isJinja || (text?.startsWith(JINJA_HEADER) ?? false);
  }

  /** The user data as text, with the header `#cloud-config`. */
  public toText(): string {
    return this._render([]);
  }

  /**
   * The user data with files of the cluster that the machine becomes a node of.
   * @internal
   */
  public _render(files: readonly { readonly [key: string]: unknown }[]): string {
    if (this.text !== undefined && files.length === 0 && isNothing(this.agent)) { return this.text; }
    // the agent comes first: Rancher waits for the address that it tells
    const { fields, problems } = mergeCloudConfigs([this.agent._fields, this.fields, files.length > 0 ? { write_files: files } : {}], ['package_update']);
    throwErrors('CloudInit', problems);
    return `${this.isJinja ? JINJA_HEADER : ''}${CLOUD_CONFIG_HEADER}${this.agent._comment}${toYaml(orderedCloudConfig(fields))}`;
  }

  /** The key that settles the host name, which is Rancher's to settle for machines of a pool. @internal */
  public _hostnameKey(): string | undefined {
    return ['hostname', 'fqdn', 'preserve_hostname'].find((key) => this.fields[key] !== undefined && this.fields[key] !== false);
  }
}

function isNothing({ _fields, _comment }: GuestAgent): boolean {
  return _comment === '' && Object.keys(_fields).length === 0;
}

function fieldsOf(props: CloudInitProps): CloudConfig {
  const commands = (list?: readonly CloudInitCommand[]): unknown[] | undefined => filledList(list?.map(({ _command: command }) => command));
  const users = props.users?.map(userFields) ?? [];
  const fields: CloudConfig = {
    hostname: props.hostname,
    timezone: props.timezone,
    ntp: props.ntpServers && { enabled: true, servers: [...props.ntpServers] },
    ca_certs: props.caCertificates && { trusted: [...props.caCertificates] },
    growpart: props.growPartitions && { mode: 'auto', devices: [...props.growPartitions] },
    // a list of users without `default` drops the image's own, to whom Rancher's key goes
    users: users.length === 0 ? undefined : props.defaultUser ?? true ? ['default', ...users] : users,
    ssh_authorized_keys: filledList(props.sshAuthorizedKeys),
    ssh_pwauth: props.sshPasswordAuth,
    bootcmd: commands(props.bootCommands),
    write_files: filledList(props.files?.map((file) => file._render())),
    package_update: props.packageUpdate,
    package_upgrade: props.packageUpgrade || undefined,
    packages: filledList(props.packages),
    runcmd: commands(props.runCommands),
    // a map of some languages has no order, and another one would replace machines
    ...sortedKeys(props.other),
  };
  return defined(fields);
}

function checkHeader(text: string): Problem[] {
  if (!/^##\s*template\s*:/i.test(text) || text.startsWith(JINJA_HEADER)) { return []; }
  return [{
    path: 'text',
    value: text.split('\n', 1)[0],
    message: 'is no header that the node driver keeps, so the template would never be filled',
    fix: `begin with the line ${JSON.stringify(JINJA_HEADER.trim())} and a line break, exactly`,
  }];
}

// no construct is at hand yet, so the name of the call says where
function throwErrors(where: string, problems: Iterable<Problem>): void {
  const errors = [...problems].filter(({ level }) => level !== 'warning');
  if (errors.length > 0) { throw new Error(errors.map((problem) => `${where}: ${problemText(problem)}`).join('\n')); }
}
