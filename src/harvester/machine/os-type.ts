/**
 * The operating system of a VirtualMachine or an image, whose name the UI shows.
 *
 * @see harvester/harvester-ui-extension:pkg/harvester/mixins/harvester-vm/index.js OS
 */
export class OsType {
  /** Windows. */
  public static readonly WINDOWS = new OsType('windows');
  /** Any Linux. */
  public static readonly LINUX = new OsType('linux');
  /** SUSE Linux Enterprise Server. */
  public static readonly SLES = new OsType('SLEs');
  /** Debian. */
  public static readonly DEBIAN = new OsType('debian');
  /** Fedora. */
  public static readonly FEDORA = new OsType('fedora');
  /** Gentoo. */
  public static readonly GENTOO = new OsType('gentoo');
  /** Oracle Linux. */
  public static readonly ORACLE = new OsType('oracle');
  /** Red Hat Enterprise Linux. */
  public static readonly REDHAT = new OsType('redhat');
  /** openSUSE. */
  public static readonly OPENSUSE = new OsType('openSUSE');
  /** Ubuntu. */
  public static readonly UBUNTU = new OsType('ubuntu');
  /** A Linux that the UI has no name for. */
  public static readonly OTHER_LINUX = new OsType('otherLinux');

  /**
   * An operating system that the UI does not offer: Harvester accepts any.
   *
   * @param value the value of a label, e.g. `rocky`
   */
  public static of(value: string): OsType {
    return new OsType(value);
  }

  declare private readonly nominal: true;

  private constructor(
    /** The value of the label. */
    public readonly value: string,
  ) {}
}
