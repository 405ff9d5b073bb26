{{- define "memoir.labels" -}}
app.kubernetes.io/name: memoir
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}
{{- define "memoir.name" -}}
{{ printf "%s-memoir" (trimSuffix "-memoir" .Release.Name) | trunc 52 | trimSuffix "-" }}
{{- end }}
