import { ApiObject, App, Chart } from 'cdk8s';

/** A program of stock cdk8s that writes the same manifests, to the same files. */
export function stockPlatform(files: ReadonlyMap<string, object[]>, outdir: string): App {
  const app = new App({ outdir });
  for (const [file, manifests] of files) {
    addManifests(new Chart(app, file.replace(/[^a-z0-9]+/g, '-')), manifests);
  }
  return app;
}

/** One that writes them to one file, which costs stock least. */
export function stockChart(files: ReadonlyMap<string, object[]>, outdir: string): App {
  const app = new App({ outdir });
  addManifests(new Chart(app, 'platform'), [...files.values()].flat());
  return app;
}

function addManifests(chart: Chart, manifests: readonly object[]): void {
  manifests.forEach((manifest, index) => new ApiObject(chart, `o${index}`, manifest as never));
}
