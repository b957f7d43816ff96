/**
 * Seconds as Go prints a duration, e.g. `1h0m0s`: Rancher rewrites a field that it reads as a duration so, and another form would be drift.
 * @see https://pkg.go.dev/time#Duration.String
 */
export function goDurationText(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) { return `${hours}h${minutes}m${seconds % 60}s`; }
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}
