/**
 * The vendor part of a virtual GPU's resource name.
 * @see rancher/dashboard:pkg/harvester-manager/machine-config/harvester.vue VGPU_PREFIX
 */
export const VGPU_NVIDIA = 'nvidia.com/';

/** Options of a virtual GPU. */
export interface VGpuOptions {
  /**
   * The name of the VGPUDevice, e.g. `node1-00000a004`, unique within the VM. A VirtualMachine must
   * set it. Cannot be set in a MachinePool, where Harvester chooses a device for each machine.
   * @default - Harvester chooses a device, for the machines of a MachinePool
   */
  readonly device?: string;
}

/**
 * A virtual GPU of a VirtualMachine, or of each machine of a MachinePool. The Harvester needs the
 * add-on pcidevices-controller and enabled vGPU devices of the type. The VM cannot migrate.
 *
 * @see https://docs.harvesterhci.io/latest/advanced/vgpusupport
 */
export class VGpu {
  /**
   * An NVIDIA virtual GPU, by the type that Harvester's UI shows.
   *
   * @param typeName e.g. `NVIDIA A2-2Q`; becomes the resource `nvidia.com/NVIDIA_A2-2Q`
   */
  public static nvidia(typeName: string, options: VGpuOptions = {}): VGpu {
    return new VGpu(`${VGPU_NVIDIA}${typeName.replace(/ /g, '_')}`, options.device);
  }

  /**
   * A virtual GPU of any vendor, by its resource name.
   *
   * @param resourceName `<vendor>/<type>`, e.g. `nvidia.com/NVIDIA_A2-2Q`
   */
  public static of(resourceName: string, options: VGpuOptions = {}): VGpu {
    return new VGpu(resourceName, options.device);
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */ public readonly _resourceName: string,
    /** @internal */ public readonly _device?: string,
  ) {}
}
