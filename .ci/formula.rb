# Installs a formula as Homebrew would on this machine, from the archive beside it:
#
#	ruby .ci/formula.rb DIST PREFIX
#
# A stand-in for Homebrew, which knows what the formula of memoir uses.
require "digest"
require "fileutils"
require "tmpdir"

DIST, PREFIX = ARGV
LINUX = RUBY_PLATFORM.include?("linux")
INTEL = RUBY_PLATFORM.start_with?("x86_64")

# A folder of the prefix that files are installed into, under another name if one is said.
Folder = Struct.new(:path) do
  def install(what)
    FileUtils.mkdir_p(path)
    case what
    when Hash then what.each { |from, to| FileUtils.cp(from, File.join(path, to)) }
    else
      files = Array(what)
      abort "nothing to install into #{path}" if files.empty?
      FileUtils.cp(files, path)
    end
  end
end

# Formula reads a formula: what it says of itself, and of this machine's archive.
class Formula
  class << self
    attr_reader :said

    %i[desc homepage version license url sha256].each do |word|
      define_method(word) { |text| (@said ||= {})[word] = text }
    end

    def on_linux = LINUX && yield
    def on_macos = !LINUX && yield
    def on_intel = INTEL && yield
    def on_arm = !INTEL && yield
    def test = nil
  end

  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d", doc: "share/doc/memoir" }.each do |name, path|
    define_method(name) { Folder.new(File.join(PREFIX, path)) }
  end
end

load File.join(DIST, "homebrew", "memoir.rb")
said = Memoir.said
missing = %i[desc homepage version license url sha256] - said.keys
abort "the formula says nothing of #{missing.join(", ")}" unless missing.empty?
archive = File.join(DIST, File.basename(said[:url]))
sum = Digest::SHA256.file(archive).hexdigest
abort "the checksum of #{archive} is #{sum}, the formula says #{said[:sha256]}" unless sum == said[:sha256]
abort "#{said[:url]} is not of version #{said[:version]}" unless said[:url].include?(said[:version])
Dir.mktmpdir do |dir|
  system("tar", "-xzf", archive, "-C", dir, "--strip-components=1", exception: true)
  Dir.chdir(dir) { Memoir.new.install }
end
