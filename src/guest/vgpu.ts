import { VGPU_NVIDIA, VGPU_PLACEHOLDER } from '../model/machine-config/names';

/**
 * A virtual GPU of the machines of a pool. The Harvester needs the add-on pcidevices-controller and enabled vGPU devices of the type.
 *
 * @see https://docs.harvesterhci.io/v1.7/advanced/vgpusupport
 */
export class VGpu {
  /**
   * A virtual GPU of NVIDIA's, by the type that Harvester's UI shows.
   *
   * @param typeName e.g. `NVIDIA A2-2Q`; becomes the resource `nvidia.com/NVIDIA_A2-2Q`
   */
  public static nvidia(typeName: string): VGpu {
    return new VGpu(`${VGPU_NVIDIA}${typeName.replace(/ /g, '_')}`);
  }

  /**
   * A virtual GPU by the name of its resource.
   *
   * @param deviceName `<vendor>/<type>`, e.g. `nvidia.com/NVIDIA_A2-2Q`
   */
  public static ofDevice(deviceName: string): VGpu {
    return new VGpu(deviceName);
  }

  private constructor(/** @internal */ public readonly _deviceName: string) {}

  /** @internal */
  public _request(): { name: string; deviceName: string } {
    return { name: VGPU_PLACEHOLDER, deviceName: this._deviceName };
  }
}
