/**
 * A container image that the import of a Harvester into a Rancher uses on the Harvester nodes.
 */
export interface ImportImageProps {
  /** The repository without registry and tag, e.g. `rancher/rancher-agent`. */
  readonly image: string;

  /**
   * The tag, e.g. `v2.13.8`.
   *
   * @default - not known for this version of Rancher
   */
  readonly tag?: string;

  /** What it is for. */
  readonly purpose: string;

  /** Whether the import cannot become ready without it. */
  readonly required: boolean;

  /** Whether repository and tag were read in the sources of that release or seen on a running system, rather than inferred. */
  readonly confirmed: boolean;

  /** Where this was read. */
  readonly source: string;

  /**
   * What to know about it.
   *
   * @default - nothing to add
   */
  readonly note?: string;
}

/**
 * A container image that the import of a Harvester into a Rancher uses on the Harvester nodes.
 */
export class ImportImage {
  /** The repository without registry and tag, e.g. `rancher/rancher-agent`. */
  public readonly image: string;

  /**
   * The tag, e.g. `v2.13.8`.
   *
   * @default - undefined where it is not known for that version of Rancher
   */
  public readonly tag?: string;

  /** What it is for. */
  public readonly purpose: string;

  /** Whether the import cannot become ready without it. */
  public readonly required: boolean;

  /** Whether repository and tag were read in the sources of that release or seen on a running system, rather than inferred. */
  public readonly confirmed: boolean;

  /** Where this was read. */
  public readonly source: string;

  /**
   * What to know about it.
   *
   * @default - nothing to add
   */
  public readonly note?: string;

  public constructor(props: ImportImageProps) {
    if (!/^[a-z0-9]+([._/-][a-z0-9]+)*$/.test(props.image)) {
      throw new Error(`image: got ${JSON.stringify(props.image)}, expected a repository such as "rancher/rancher-agent"`);
    }
    if (props.tag !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(props.tag)) {
      throw new Error(`tag: got ${JSON.stringify(props.tag)}, expected a tag such as "v2.13.8"`);
    }
    this.image = props.image;
    this.tag = props.tag;
    this.purpose = props.purpose;
    this.required = props.required;
    this.confirmed = props.confirmed;
    this.source = props.source;
    this.note = props.note;
  }

  /**
   * The same image with a tag of your own, for one that is not known or was only inferred.
   *
   * @param tag e.g. `v0.14.9`, as the file rancher-images.txt of the Rancher release has it
   */
  public withTag(tag: string): ImportImage {
    return new ImportImage({ ...this.props(), tag, confirmed: true, source: 'the program', note: undefined });
  }

  /**
   * The reference of the image as Rancher writes it into the pod.
   *
   * @param registryPrefix the registry that Rancher prefixes, i.e. its setting `system-default-registry` or the private registry
   * of the cluster: a host, perhaps a port and a path, e.g. `registry.example.com:5000/mirror`; none by default
   * @see https://github.com/rancher/rancher/blob/main/pkg/image/resolve.go
   */
  public reference(registryPrefix?: string): string {
    if (this.tag === undefined) {
      throw new Error(`${this.image}: its tag is not known${this.note ? ` (${this.note})` : ''}, expected one given by withTag; `
        + 'it stands in the file rancher-images.txt of the Rancher release');
    }
    const reference = `${this.image}:${this.tag}`;
    if (registryPrefix === undefined || registryPrefix === '') {
      return reference;
    }
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*\/?$/.test(registryPrefix)) {
      throw new Error(`registryPrefix: got ${JSON.stringify(registryPrefix)}, expected a host with a port and a path where needed, `
        + 'such as "registry.example.com:5000"; leave out the scheme');
    }
    return `${registryPrefix.replace(/\/$/, '')}/${reference}`;
  }

  private props(): ImportImageProps {
    const { image, tag, purpose, required, confirmed, source, note } = this;
    return { image, tag, purpose, required, confirmed, source, note };
  }
}
