import { SecretValue } from '../../core/late/secret-value';
import { defined, filledList } from '../../core/text/values';
import { GUEST_AGENT_PACKAGE, GUEST_AGENT_SERVICE } from '../../guest/machine-config/machine-config.kind';

/**
 * A command that cloud-init runs, as root.
 */
export class CloudInitCommand {
  /**
   * A line for the shell, with its variables, pipes and quotes.
   *
   * @param line e.g. `curl -sf https://example.com/setup.sh | sh -s`; may hold late values
   */
  public static shell(line: string): CloudInitCommand {
    return new CloudInitCommand(line);
  }

  /**
   * A program with its arguments, as they are: no shell reads them.
   *
   * @param program and its arguments, e.g. `'systemctl', 'restart', 'sshd'`
   */
  public static exec(...program: string[]): CloudInitCommand {
    return new CloudInitCommand(program);
  }

  private constructor(/** @internal */ public readonly _command: string | readonly string[]) {}
}

/**
 * Options of a file that cloud-init writes.
 */
export interface CloudInitFileOptions {
  /** The owner, as `user:group`. @default - `root:root` */
  readonly owner?: string;
  /** The permissions: four octal digits, e.g. `0600`. @default - `0644` */
  readonly permissions?: string;
  /** Whether the text is appended to the file that is there. @default false */
  readonly append?: boolean;
  /** Whether the file is written last, after packages and users: for owners that are only made then. @default false */
  readonly defer?: boolean;
}

/** A file as cloud-init reads it. */
export interface CloudInitFileFields { readonly [key: string]: unknown }

/**
 * A file that cloud-init writes at the first start of a machine.
 */
export class CloudInitFile {
  /**
   * A file with a text. The text may hold late values.
   *
   * @param path absolute
   * @param text of the file
   */
  public static text(path: string, text: string, options: CloudInitFileOptions = {}): CloudInitFile {
    return new CloudInitFile(path, () => ({ content: text }), options);
  }

  /**
   * A file with a secret. It stands in the output in clear, and everybody who may read the machine configuration or the virtual machine reads it.
   *
   * @param path absolute
   * @param secret the text of the file
   */
  public static secret(path: string, secret: SecretValue, options: CloudInitFileOptions = {}): CloudInitFile {
    return new CloudInitFile(path, () => ({ content: secret._unwrap() }), { permissions: '0600', ...options });
  }

  /**
   * A file in base64, e.g. `LateValue.base64`: for binary files and texts whose every byte counts.
   *
   * @param path absolute
   * @param base64 of the file
   */
  public static base64(path: string, base64: string, options: CloudInitFileOptions = {}): CloudInitFile {
    return new CloudInitFile(path, () => ({ encoding: 'b64', content: base64 }), options);
  }

  private constructor(
    /** @internal */ public readonly _path: string,
    private readonly content: () => CloudInitFileFields,
    /** @internal */ public readonly _options: CloudInitFileOptions,
  ) {}

  /** @internal */
  public _render(): CloudInitFileFields {
    const { owner, permissions, append, defer } = this._options;
    return fileFields({ ...this.content(), path: this._path, owner, permissions, ...(append ? { append } : {}), ...(defer ? { defer } : {}) });
  }
}

const ORDER = ['encoding', 'content', 'owner', 'path', 'permissions', 'append', 'defer'];

/** The fields of a file in the order in which Harvester's own scripts write them, what is undefined left out. */
export function fileFields(fields: CloudInitFileFields): CloudInitFileFields {
  return Object.fromEntries(ORDER.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]));
}

/**
 * A user that cloud-init makes.
 */
export interface CloudInitUser {
  /** The login name. */
  readonly name: string;
  /** Public keys in OpenSSH's format that let the user in. @default - none */
  readonly sshAuthorizedKeys?: string[];
  /** Rules for sudo, e.g. `ALL=(ALL) NOPASSWD:ALL`. @default - none */
  readonly sudo?: string[];
  /** Groups beside the user's own. @default - none */
  readonly groups?: string[];
  /** The login shell. @default - the system's */
  readonly shell?: string;
  /** The password as crypt(3) writes it, e.g. `$6$…` from `mkpasswd -m sha-512`; never in clear. @default - no login by password */
  readonly passwordHash?: SecretValue;
  /** The user's full name. @default - none */
  readonly gecos?: string;
  /** The home directory. @default - `/home/<name>` */
  readonly homeDirectory?: string;
  /** The number of the user. @default - the next one that is free */
  readonly uid?: number;
  /** Whether it is a user for services, without a home directory. @default false */
  readonly system?: boolean;
}

/** A user as cloud-init reads it. */
export function userFields(user: CloudInitUser): { readonly [key: string]: unknown } {
  const fields = {
    name: user.name,
    gecos: user.gecos,
    uid: user.uid,
    system: user.system || undefined,
    homedir: user.homeDirectory,
    shell: user.shell,
    groups: filledList(user.groups),
    sudo: filledList(user.sudo),
    // without it cloud-init locks the password that it sets
    lock_passwd: user.passwordHash ? false : undefined,
    passwd: user.passwordHash?._unwrap(),
    ssh_authorized_keys: filledList(user.sshAuthorizedKeys),
  };
  return defined(fields);
}

/**
 * Options of a guest agent that is installed.
 */
export interface GuestAgentOptions {
  /**
   * Whether the lists of packages are fetched before. It needs a mirror that the machine reaches: without internet the first start waits until
   * the tries run out.
   * @default true
   */
  readonly packageUpdate?: boolean;
}

/**
 * How qemu-guest-agent, which tells Harvester the addresses of a machine, gets onto it. Rancher gives a machine up that tells none for ten minutes.
 */
export class GuestAgent {
  /**
   * Installed from the distribution's packages and started, as Rancher's and Harvester's UI do.
   *
   * Not for immutable systems (SLE Micro, Elemental, Talos), whose packages can't be installed so: use an image that brings it along.
   */
  public static install(options: GuestAgentOptions = {}): GuestAgent {
    return new GuestAgent({
      ...(options.packageUpdate ?? true ? { package_update: true } : {}),
      packages: [GUEST_AGENT_PACKAGE],
      runcmd: [['systemctl', 'enable', '--now', GUEST_AGENT_SERVICE]],
    });
  }

  /**
   * In the image, and running: nothing is installed. For air-gapped and immutable systems. A comment in the user data says so, to people and to the
   * rule that misses the agent.
   */
  public static preinstalled(): GuestAgent {
    return new GuestAgent({}, `# ${GUEST_AGENT_PACKAGE} is in the image\n`);
  }

  /** Nothing is said of it. @internal */
  public static _unsaid(): GuestAgent {
    return new GuestAgent({});
  }

  private constructor(
    /** @internal */ public readonly _fields: { readonly [key: string]: unknown },
    /** A line of its own, or nothing. @internal */ public readonly _comment: string = '',
  ) {}
}

/**
 * What a machine does at its first start.
 */
export interface CloudInitProps {
  /** How the machine gets qemu-guest-agent. @default GuestAgent.install() */
  readonly guestAgent?: GuestAgent;
  /** Packages of the distribution. @default - none but the guest agent */
  readonly packages?: string[];
  /** Whether the lists of packages are fetched before. @default - as guestAgent says */
  readonly packageUpdate?: boolean;
  /** Whether all packages are brought up to date. @default false */
  readonly packageUpgrade?: boolean;
  /** Files. @default - none */
  readonly files?: CloudInitFile[];
  /** Commands at the end of the first start, in this order, after the one that starts the guest agent. @default - none */
  readonly runCommands?: CloudInitCommand[];
  /** Commands early in every start, before the network is there. @default - none */
  readonly bootCommands?: CloudInitCommand[];

  /** Public keys in OpenSSH's format for the image's own user. @default - none */
  readonly sshAuthorizedKeys?: string[];
  /** Users beside the image's own. @default - none */
  readonly users?: CloudInitUser[];
  /** Whether the image's own user (`ubuntu`, `opensuse` …) is kept when `users` are given. Rancher's key goes to it. @default true */
  readonly defaultUser?: boolean;
  /** Whether ssh takes passwords. @default - as the image has it */
  readonly sshPasswordAuth?: boolean;

  /** The name of the machine. Not for pools: Rancher names their machines. @default - the name of the virtual machine */
  readonly hostname?: string;
  /** The time zone, e.g. `Europe/Vienna`. @default - as the image has it */
  readonly timezone?: string;
  /** Servers of the time. @default - as the image has it */
  readonly ntpServers?: string[];
  /** Certificates in PEM form that the machine trusts, one each. @default - none but the image's own */
  readonly caCertificates?: string[];
  /** Partitions or mount points that grow with their disk. @default - `/` */
  readonly growPartitions?: string[];
  /** Other keys of cloud-init, as its documentation names them, e.g. `mounts` or `fs_setup`. @default - none */
  readonly other?: { readonly [key: string]: any };
}
